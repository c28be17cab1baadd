//! The registry proxy, against a scripted registry on loopback and against the user's own.

mod addresses;
mod hostile;
mod imports;
mod lock;
mod real;
mod registry;
mod serve;
mod settings;
