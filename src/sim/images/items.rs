//! Things that a program tells of its settings: `env:NAME`, `file:PATH`, `file:PATH#key`, each also as `name=env:NAME`.

/// One of them.
#[derive(Debug, Clone)]
pub(super) struct Item {
    name: String,
    from: From,
}

#[derive(Debug, Clone)]
enum From {
    Env(String),
    /// The first line, or the value of a key.
    File(String, Option<String>),
}

impl Item {
    pub(super) fn parse(word: &str) -> Option<Self> {
        let (name, rest) = match word.split_once('=') {
            Some((name, rest)) if !name.contains(':') => (Some(name), rest),
            _ => (None, word),
        };
        let (default, from) = if let Some(variable) = rest.strip_prefix("env:") {
            (variable.to_lowercase(), From::Env(variable.to_owned()))
        } else {
            let path = rest.strip_prefix("file:")?;
            match path.split_once('#') {
                Some((path, key)) => (
                    key.to_owned(),
                    From::File(path.to_owned(), Some(key.to_owned())),
                ),
                None => {
                    let last = path.rsplit('/').next().unwrap_or(path);
                    (last.to_owned(), From::File(path.to_owned(), None))
                }
            }
        };
        Some(Self {
            name: name.map_or(default, str::to_owned),
            from,
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What it is now; empty where there is none.
    pub(super) fn value(
        &self,
        env: &[(String, String)],
        read: &dyn Fn(&str) -> Option<String>,
    ) -> String {
        match &self.from {
            From::Env(name) => {
                let found = env.iter().find(|(known, _)| known == name);
                found.map(|(_, value)| value.clone()).unwrap_or_default()
            }
            From::File(path, key) => {
                let text = read(path).unwrap_or_default();
                let found = match key {
                    Some(key) => text.lines().find_map(|line| {
                        let rest = line.trim().strip_prefix(key.as_str())?;
                        rest.trim_start().strip_prefix([':', '='])
                    }),
                    None => text.lines().next(),
                };
                found
                    .unwrap_or_default()
                    .trim()
                    .trim_matches('"')
                    .to_owned()
            }
        }
    }
}
