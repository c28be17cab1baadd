//! Node's modules: which of them a package can stand for in a browser, and which cannot be had there.

/// Node's module → the package that stands for it, and the entry of that package.
const STAND_INS: &[(&str, &str, &str)] = &[
    ("assert", "assert", ""),
    ("buffer", "buffer", ""),
    ("events", "events", ""),
    ("os", "os-browserify", "browser"),
    ("path", "path-browserify", ""),
    ("process", "process", "browser"),
    ("punycode", "punycode", ""),
    ("querystring", "querystring-es3", ""),
    ("stream", "stream-browserify", ""),
    ("string_decoder", "string_decoder", ""),
    ("timers", "timers-browserify", ""),
    ("url", "url", ""),
    ("util", "util", ""),
];

/// Node's modules that browsers cannot have.
const NODE_ONLY: &[&str] = &[
    "async_hooks",
    "child_process",
    "cluster",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "fs",
    "fs/promises",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "perf_hooks",
    "readline",
    "repl",
    "tls",
    "tty",
    "v8",
    "vm",
    "worker_threads",
    "zlib",
];

/// Whether a bare specifier names a module of Node's.
pub(crate) fn is_node_builtin(specifier: &str) -> bool {
    specifier.starts_with("node:") || NODE_ONLY.contains(&specifier) || stand_in_for(specifier).is_some()
}

/// Package and entry that stand for a module of Node's, named without `node:`.
pub(crate) fn stand_in_for(builtin: &str) -> Option<(&'static str, &'static str)> {
    STAND_INS.iter().find(|(name, ..)| *name == builtin).map(|(_, package, subpath)| (*package, *subpath))
}

/// Whether a package stands for a module of Node's.
pub(crate) fn is_stand_in(package: &str) -> bool {
    STAND_INS.iter().any(|(_, name, _)| *name == package)
}
