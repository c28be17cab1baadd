//! What a user of this crate notices, against servers and folders that the tests make.

mod agreement;
mod embedded;
mod files;
mod models;
mod mol;
mod openai;
mod routing;
