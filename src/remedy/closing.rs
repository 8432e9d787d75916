//! What is told of a remedy at its end: its course, how its checklist stands, and what prevents the next time.

use super::{Check, Course};

/// Everything that the closing report tells, beside the cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Closing {
    pub course: Course,
    pub checks: Vec<Check>,
    /// Each a sentence and the text that does it.
    pub prevention: Vec<(String, String)>,
}
