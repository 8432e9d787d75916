//! A fact that many hold: cloned without being copied, and copied when one of them changes it.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Ten thousand pods are cloned for each look at them, and one of them changes: only that one is copied.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    /// Whether both are the very same fact, which then is equal without being looked at.
    pub fn is(a: &Self, b: &Self) -> bool {
        Arc::ptr_eq(&a.0, &b.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T> From<T> for Shared<T> {
    fn from(fact: T) -> Self {
        Self(Arc::new(fact))
    }
}
