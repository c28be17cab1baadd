//! End to end: what a person, a program and an attacker meet.

mod actions;
mod bad_input;
mod containment;
mod cut_off;
mod door;
mod embed;
mod faults;
mod freeze;
mod interrupted;
mod kit;
mod main_job;
mod mcp;
mod paint;
mod recorded;
mod render_file;
mod repair;
mod sources;
mod transcripts;
mod types;
