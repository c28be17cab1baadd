//! End to end: what a person, a program and an attacker meet.

mod actions;
mod addresses;
mod bad_input;
mod containment;
mod cut_off;
mod documents;
mod door;
mod embed;
mod freeze;
mod html;
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
