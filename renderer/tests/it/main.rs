//! What the renderer promises, as its users see it.

mod cells;
