//! What an outer name means in its module.

use swc_atoms::Atom;

/// The meaning of a free name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A top-level name of the module: `$.name`.
    Own,
    /// An import: `$i["specifier"].name`; `*` is the whole namespace.
    Import { specifier: Atom, name: Atom },
    /// A global, or nothing at all: left as it is.
    Global,
}
