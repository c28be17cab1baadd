//! What the renderer promises, as its users see it.

mod carrier;
mod cells;
mod complete;
mod corpus;
mod deep;
mod faults;
mod findings;
mod imports;
mod incremental;
mod library;
mod repair;
mod source_map;
mod stream;
mod tailwind;
mod tool_arguments;
