//! What the renderer promises, as its users see it.

mod carrier;
mod cells;
mod complete;
<<<<<<< HEAD
mod faults;
=======
mod deep;
>>>>>>> bce7204 (Refuse what nests deeper than a stack instead of running out of it; hold back an HTML end tag that lacks its end)
mod findings;
mod imports;
mod incremental;
mod library;
mod repair;
mod source_map;
mod stream;
mod tailwind;
mod tool_arguments;
