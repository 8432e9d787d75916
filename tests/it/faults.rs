//! What goes wrong between the program and its cluster, by name: it is said, the rest goes on, and it comes back by itself.

mod answers;
mod clocks;
mod contents;
mod damage;
mod planted;
mod refused;
mod watches;
