//! Names of files, and that none is written over.
