//! The door: who may ask what.
//!
//! Every request passes [`check::main_origin`] or [`check::sandbox_origin`] before any route sees it. A token made at
//! first start is the one secret; a browser gets it as a cookie by a one-time link.

pub mod check;
mod links;
mod token;

pub use links::Links;
pub use token::{Token, random_hex};
