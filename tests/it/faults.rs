//! What goes wrong between the program and its cluster, by name: it is said, the rest goes on, and it comes back by itself.

mod answers;
mod refused;
mod watches;
