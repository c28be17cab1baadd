//! Metadata that lies or never ends, and registries that break.

use super::{Probe, get};
use anyhow::Result;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use ui4a_tests::hostile::{Answers, Hostile, Reply, document};

fn whole(status: &'static str, headers: &[&str], body: &[u8]) -> Reply {
    Reply::Whole(status, headers.iter().map(|line| (*line).to_owned()).collect(), body.to_vec())
}

/// Name → what the registry answers, and what is said of it.
fn table() -> Vec<(&'static str, Reply, &'static str)> {
    let json = "content-type: application/json";
    let described = |manifest: serde_json::Value| Reply::json(&document(&manifest));
    let mut packed = GzEncoder::new(Vec::new(), Compression::new(6));
    let block = vec![b' '; 1 << 20];
    (0..200).for_each(|_| packed.write_all(&block).expect("writing to memory does not fail"));
    let packed = packed.finish().expect("writing to memory does not fail");
    vec![
        ("meta-200-mb", Reply::Cut(b"{".to_vec(), 200 << 20), "bytes of a packument"),
        ("meta-endless", Reply::Flood(vec![json.to_owned()]), "bytes of a packument"),
        ("meta-packed", whole("200 OK", &[json, "content-encoding: gzip"], &packed), "bytes of a packument"),
        ("meta-slow", Reply::Drip(vec![json.to_owned()]), "2 seconds for a packument"),
        ("meta-html", whole("200 OK", &["content-type: text/html"], b"<h1>Hello</h1>"), "does not parse"),
        ("meta-nested", whole("200 OK", &[json], "[".repeat(200_000).as_bytes()), "does not parse"),
        ("meta-cut", whole("200 OK", &[json], b"{\"versions\":{\"1.0.0\":{"), "does not parse"),
        ("meta-none", whole("200 OK", &[json], b""), "does not parse"),
        ("meta-no-versions", Reply::json(&json!({"name": "x", "versions": {}})), "no version"),
        ("meta-tag-astray", Reply::json(&json!({"dist-tags": {"latest": "9.9.9"}, "versions": {}})), "no version"),
        (
            "meta-version-path",
            Reply::json(&json!({"dist-tags": {"latest": "../../../x"}, "versions": {"../../../x": {"dist": {}}}})),
            "",
        ),
        ("meta-names", described(json!({"dependencies": {"../../evil": "1", "..": "*"}, "dist": {}})), ""),
        (
            "meta-long-version",
            Reply::json(
                &json!({"dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"dist": {"tarball": "x".repeat(100_000), "integrity": "sha512-x"}}}}),
            ),
            "",
        ),
        ("meta-loop", Reply::redirect("ORIGIN/NAME"), "more than 5 redirects"),
        ("meta-inside", Reply::redirect("http://127.0.0.1:9/x"), "is not fetched"),
        ("meta-injected", Reply::redirect("http://127.0.0.1:9/%0d%0ax-injected:1"), "is not fetched"),
        ("meta-500", whole("500 Internal Server Error", &[], b""), "after 3 tries"),
        ("meta-later", whole("429 Too Many Requests", &["retry-after: 86400"], b""), "status 429"),
        ("meta-teapot", whole("418 I'm a teapot", &[], b""), "status 418"),
        ("meta-refused", whole("401 Unauthorized", &[], b""), "check the token"),
        ("meta-forbidden", whole("403 Forbidden", &[], b""), "check the token"),
    ]
}

/// Packages of the registry.
pub fn metadata() -> BTreeMap<String, Answers> {
    let mut all: BTreeMap<String, Answers> =
        table().into_iter().map(|(name, reply, _)| (name.to_owned(), Answers::described(reply))).collect();
    // What addresses lead to, as if they were tarballs.
    let script = |reply: Reply| Answers { packument: Reply::Raw(Vec::new()), tarball: reply };
    all.insert("@web/loop".into(), script(Reply::redirect("ORIGIN/@web%2floop/-/x.js")));
    all.insert("@web/inside".into(), script(Reply::redirect("http://127.0.0.1:9/secret.js")));
    all.insert("@web/flood".into(), script(Reply::Flood(vec!["content-type: text/javascript".into()])));
    all.insert("@web/html".into(), script(whole("200 OK", &["content-type: text/html"], b"<h1>x</h1>")));
    all
}

/// A registry that breaks is not asked again for a while, so each of these has one of its own.
fn broken() -> Vec<(&'static str, Reply)> {
    let headers: String = (0..5_000).fold(String::new(), |mut all, number| {
        let _ = write!(all, "x-{number}: {number}\r\n");
        all
    });
    vec![
        ("closes", Reply::Raw(Vec::new())),
        ("babbles", Reply::Raw(b"SSH-2.0-OpenSSH_9.2\r\n".to_vec())),
        ("stops", Reply::Cut(b"{\"versions\":".to_vec(), 5_000)),
        ("headers", Reply::Raw(format!("HTTP/1.1 200 OK\r\n{headers}\r\n{{}}").into_bytes())),
        ("lengths", Reply::Raw(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 9\r\n\r\n{\"a\":1}".to_vec())),
        ("chunks", Reply::Raw(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n{}\r\n".to_vec())),
        ("smuggles", Reply::Raw(b"HTTP/1.1 200 OK\r\nx-a: 1\0\r\ncontent-length: 2\r\n\r\n{}".to_vec())),
    ]
}

/// npm's settings for them.
pub async fn scopes() -> Result<String> {
    let mut settings = String::new();
    for (scope, reply) in broken() {
        let registry = Hostile::start([(format!("@{scope}/x"), Answers::described(reply))].into()).await?;
        writeln!(settings, "@{scope}:registry={}/", registry.origin)?;
    }
    Ok(settings)
}

/// All probes, by both ways in.
pub fn all() -> Vec<Probe> {
    let of = |what: &str, path: String, says| Probe { what: what.to_owned(), request: get(&path), says };
    let mut probes: Vec<Probe> =
        table().into_iter().map(|(name, _, says)| of(name, format!("/npm/{name}"), says)).collect();
    probes.extend(broken().into_iter().map(|(scope, _)| of(scope, format!("/npm/@{scope}/x"), "cannot be reached")));
    probes
}
