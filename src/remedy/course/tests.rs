//! The order of what is written, and what stops it.
