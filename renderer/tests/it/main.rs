//! What the renderer promises, as its users see it.

mod carrier;
mod cells;
mod complete;
mod tailwind;
mod tool_arguments;
