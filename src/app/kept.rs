//! What is made of an incident once and looked at in every frame: ten thousand rows are not sorted and measured for each key.
//!
//! All of it is of one diagnosis and goes when another comes.

use std::cell::RefCell;
use std::rc::Rc;

use super::axis::Axis;
use super::lanes::Lanes;
use super::lists::{Rows, Sort};
use super::rows::Order;
use super::screen::Tab;
use super::time::Today;

/// What was made last, and for what.
#[derive(Debug)]
pub struct Last<K, V>(RefCell<Option<(K, Rc<V>)>>);

impl<K, V> Default for Last<K, V> {
    fn default() -> Self {
        Self(RefCell::new(None))
    }
}

impl<K: PartialEq, V> Last<K, V> {
    /// The last one, where it was made for the same; else a new one.
    pub fn get(&self, key: K, make: impl FnOnce() -> V) -> Rc<V> {
        if let Some((last, made)) = &*self.0.borrow()
            && *last == key
        {
            return made.clone();
        }
        // Not borrowed meanwhile: what makes it may ask for something else that is kept here.
        let made = Rc::new(make());
        *self.0.borrow_mut() = Some((key, made.clone()));
        made
    }
}

/// The incident's place in the diagnosis.
type Place = usize;

/// What the list of all is narrowed to and sorted by, and the second and zone that its ages are of, where they matter.
pub type Triage = (String, Sort, Option<(i64, bool)>);

/// Everything that is kept.
#[derive(Debug, Default)]
pub struct Kept {
    pub(super) triage: Last<Triage, Rows>,
    pub(super) rows: Last<(Place, Tab, String, Today), Rows>,
    pub(super) order: Last<Place, Order>,
    pub(super) lanes: Last<Place, Lanes>,
    pub(super) axis: Last<(Place, usize), Axis>,
    /// The labels of an axis of so many columns.
    pub labels: Last<(Place, usize, Today), String>,
    /// Places in the diagnosis's evidence.
    pub(super) evidence: Last<Place, Vec<usize>>,
    /// The widths of columns that every row has a say in.
    pub replica_columns: Last<(Place, Today), [usize; 3]>,
    pub time_column: Last<(Place, Today), usize>,
}
