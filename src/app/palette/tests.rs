//! What a typed command comes to.
