//! Paths, names, headers and methods.

use super::{Probe, Request, get};

const PASSES: &str = "/registry/react";

/// All of them.
pub fn all() -> Vec<Probe> {
    let nowhere = "0".repeat(64);
    let mut probes = Vec::new();
    let mut add = |what: &str, request: Request, says: &'static str| {
        probes.push(Probe { what: what.to_owned(), request, says });
    };
    for path in [
        "/registry/../../etc/passwd",
        "/registry/..%2f..%2fetc%2fpasswd",
        "/registry/%2e%2e/%2e%2e/etc/passwd",
        "/registry/..%5c..%5cetc",
        "/registry/react%00",
        "/registry/react%0d%0ax-injected:%201",
        "/registry/%ff%fe",
        "/registry/@scope",
        "/registry/@/x",
        "/registry/@a%2fb%2fc%2fd",
        "/registry/.npmrc",
        "/registry/r%d0%b5act",
        "/registry/%ef%bd%92eact",
        "/registry/react/-/react-19.0.0.tgz/../../x",
        "/registry/react/-/..%2f..%2fsecret.tgz",
        "/registry/react/-/react-%2e%2e.tgz",
        "/registry/react/-/other-1.0.0.tgz",
        "/registry/react/a/b/c",
        "/registry/react%3ftoken=1",
        "/registry//etc/passwd",
    ] {
        add(path, get(path), "bad-name");
    }
    add("a name of 4,000 letters", get(&format!("/registry/{}", "a".repeat(4_000))), "bad-name");
    add("a package that is not there", get("/registry/not-there"), "there is no package `not-there`");
    add("a version that is not there", get("/registry/react/9.9.9"), "no version");
    add("a tarball of a version that is not there", get("/registry/react/-/react-9.9.9.tgz"), "no version");
    add("what a registry may offer", get("/registry/-/v1/search?text=x"), "not-offered");
    for method in ["PUT", "POST", "DELETE", "PATCH"] {
        add(method, Request { method, ..get(PASSES) }, "read-only");
    }
    let with = |header: &str| Request { headers: vec![header.to_owned()], ..get(PASSES) };
    add("another host", with("host: evil.example"), "foreign-host");
    add("another page", with("origin: http://evil.example"), "foreign-origin");
    add("no token", with("authorization: none"), "no-token");
    add("a wrong token", with("authorization: Bearer 0000"), "no-token");
    let on_sandbox = |path: &str| Request { sandbox: true, ..get(path) };
    add("the registry from a sandbox", on_sandbox("/registry/react"), "");
    for path in [
        format!("/m/{nowhere}.js"),
        format!("/m/{nowhere}.html"),
        format!("/m/{nowhere}"),
        "/m/..%2f..%2fetc%2fpasswd".to_owned(),
        "/m/..%2f..%2fetc%2fpasswd.js".to_owned(),
        "/m/a%00b.js".to_owned(),
        "/m/%0d%0ax-injected:1.js".to_owned(),
        format!("/m/{}.js", "a".repeat(4_000)),
        format!("/m/{}.js", "A".repeat(64)),
    ] {
        add(&path, on_sandbox(&path), "unknown-module");
    }
    for (specifier, says) in [
        ("..%2f..%2fetc%2fpasswd", "cannot be imported"),
        ("react@..%2f..%2fx", "cannot be imported"),
        ("react/%2e%2e/%2e%2e/package.json", "cannot be imported"),
        ("a%00b", "cannot be imported"),
        ("a%0d%0ax-injected:1", "cannot be imported"),
        ("r%d0%b5act", "cannot be imported"),
        ("file:%2f%2f%2fetc%2fpasswd", "`file:` is not supported"),
        ("javascript:alert(1)", "`javascript:` is not supported"),
        ("data:text%2fjavascript,1", "`data:` is not supported"),
        ("node:child_process", "module of Node's"),
        ("https://127.0.0.1/x.js", "not a public address"),
        ("https://2130706433/x.js", "not a public address"),
        ("https://0x7f.1/x.js", "not a public address"),
        ("https://[::ffff:10.0.0.1]/x.js", "not a public address"),
        ("https://169.254.169.254/latest/meta-data", "not a public address"),
        ("https://localhost/x.js", "name of this network"),
        ("https://metadata.google.internal/x.js", "name of this network"),
        ("https://user:secret@example.com/x.js", "a name or a password"),
        ("http://example.com/x.js", "only https:"),
        ("ORIGIN/@web%2floop/-/x.js", "more than 5 times"),
        ("ORIGIN/@web%2finside/-/x.js", "only https:"),
        ("ORIGIN/@web%2fflood/-/x.js", "exceeds the limit of 16777216 bytes"),
        ("ORIGIN/@web%2fhtml/-/x.js", "no script"),
    ] {
        add(specifier, get(&format!("/npm/{specifier}")), says);
    }
    probes
}
