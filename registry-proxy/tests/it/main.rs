//! The registry proxy, against a scripted registry on loopback and against the user's own.

mod addresses;
mod bundle;
mod cache;
mod cutting;
mod gc;
mod hostile;
mod imports;
mod lock;
mod npm;
mod policy;
mod real;
mod registry;
mod serve;
mod settings;
