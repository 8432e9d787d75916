//! What the one who asks may do: everything, but for what a test takes away.

use std::collections::BTreeSet;

/// What is not allowed: verbs of resources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rights {
    denied: BTreeSet<(String, String)>,
}

impl Rights {
    /// Takes a right away: `get` of `configmaps`, `create` of `pods/exec`; `*` is any.
    #[must_use]
    pub fn without(mut self, verb: &str, resource: &str) -> Self {
        self.denied.insert((verb.to_owned(), resource.to_owned()));
        self
    }

    pub fn allows(&self, verb: &str, resource: &str) -> bool {
        !self.denied.iter().any(|(v, r)| {
            let any = |wanted: &str, said: &str| said == "*" || wanted == "*" || said == wanted;
            any(verb, v) && any(resource, r)
        })
    }

    pub fn is_everything(&self) -> bool {
        self.denied.is_empty()
    }
}
