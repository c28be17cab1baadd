//! Tests of what is sent to browsers.

mod pages;
mod scripts;
