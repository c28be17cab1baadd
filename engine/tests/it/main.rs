//! What a user of this crate notices, against servers and folders that the tests make.

mod agreement;
mod batching;
mod embedded;
mod files;
mod held;
mod models;
mod mol;
mod numerics;
mod openai;
mod routing;
mod tiny;
