//! End to end: what a person, a program and an attacker meet.

mod actions;
mod bad_input;
mod containment;
mod cut_off;
mod door;
mod embed;
mod evidence;
mod faults;
mod freeze;
mod freeze_floods;
mod freeze_loops;
mod interrupted;
mod kit;
mod layout;
mod main_job;
mod mcp;
mod paint;
mod recorded;
mod render_file;
mod repair;
mod safe_mode;
mod size;
mod sources;
mod transcripts;
mod types;
