//! `ui4a`: type a request, watch the interface appear while the model writes it, use it.
//!
//! The only crate that composes the others. A command is one file in [`cli`].

mod adapters;
mod agent;
mod app;
mod browser;
mod cli;
mod door;
mod evidence;
mod export;
mod hub;
mod model;
mod origins;
mod paths;
mod problem;
mod routes;
mod runtime;
mod services;
mod settings;
mod type_check;
mod v1;

fn main() -> std::process::ExitCode {
    cli::main()
}
