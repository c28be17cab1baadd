//! From packages on disk to content-addressed modules: locate, bundle, name, link.
//!
//! What an entry is built for is known first: the names that the artifact and its other packages take of it ([`wish`],
//! [`exports`]). An entry is built alone, with what must be single left outside as placeholders ([`raw`]); only when all that it imports
//! has a name is it given its own ([`link`]). So the order of builds does not matter, and a build is found again by what
//! went into it, not by what it was built for.

pub(crate) mod beside;
pub(crate) mod bundler;
pub(crate) mod chunks;
pub(crate) mod clauses;
pub(crate) mod css;
pub(crate) mod exports;
pub(crate) mod group;
pub(crate) mod link;
pub(crate) mod locate;
pub(crate) mod maps;
pub(crate) mod names;
pub(crate) mod outcome;
pub(crate) mod plugin;
pub(crate) mod raw;
pub(crate) mod scene;
pub(crate) mod shadow;
pub(crate) mod stateless;
pub(crate) mod store;
pub(crate) mod virtuals;
pub(crate) mod wish;
