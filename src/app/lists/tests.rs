//! Sorting and narrowing.
