//! Tarballs: paths, links, bombs, damage, and integrity that lies.

use super::{Probe, get};
use serde_json::json;
use std::collections::BTreeMap;
use ui4a_tests::hostile::{Answers, Reply, document};
use ui4a_tests::tarballs::{Tarball, package};

/// Name → what the registry answers.
pub fn all() -> BTreeMap<String, Answers> {
    let (made, _) = table();
    made
}

/// The probe of one of them.
pub fn probe(name: &str) -> Probe {
    let (_, says) = table();
    Probe {
        what: name.to_owned(),
        request: get(&format!("/npm/{name}")),
        says: says.get(name).copied().unwrap_or("a line in the table"),
    }
}

const MAIN: &[u8] = b"exports.x = 1;";

fn table() -> (BTreeMap<String, Answers>, BTreeMap<String, &'static str>) {
    let (mut made, mut says) = (BTreeMap::new(), BTreeMap::new());
    let mut add = |name: &str, answers: Answers, said: &'static str| {
        made.insert(name.to_owned(), answers);
        says.insert(name.to_owned(), said);
    };
    let tar = |fill: &dyn for<'a> Fn(&'a mut Tarball) -> &'a mut Tarball| {
        let mut tarball = Tarball::default();
        fill(&mut tarball);
        Answers::of(tarball.packed())
    };
    // Paths.
    let deep = format!("package/{}x.js", "d/".repeat(45));
    let long = format!("package/{}.js", "a".repeat(2_000));
    let paths: [(&str, &str); 6] = [
        ("path-up", "package/../../../escaped.js"),
        ("path-up-first", "../escaped.js"),
        ("path-absolute", "/tmp/escaped.js"),
        ("path-backslash", "package\\..\\..\\escaped.js"),
        ("path-inner-up", "package/a/../../../../escaped.js"),
        ("path-dots", "package/./../../escaped.js"),
    ];
    for (name, path) in paths {
        add(name, tar(&|tar| tar.file(path, MAIN)), "cannot be used");
    }
    add(
        "path-long-name",
        tar(&|tar| tar.long_name(b"package/../../escaped.js\0").file("x", MAIN)),
        "leaves the package",
    );
    add(
        "path-extended",
        tar(&|tar| tar.extended("path", b"package/../../escaped.js").file("x", MAIN)),
        "leaves the package",
    );
    add("path-nul", tar(&|tar| tar.extended("path", b"package/a\0b.js").file("x", MAIN)), "NUL");
    add("path-not-text", tar(&|tar| tar.file("x", MAIN).entry(b'0', b"package/\xff.js", 0, b"", "")), "not UTF-8");
    add("path-deep", tar(&|tar| tar.long_name(deep.as_bytes()).file("x", MAIN)), "deeper than 40 folders");
    add("path-longer", tar(&|tar| tar.long_name(long.as_bytes()).file("x", MAIN)), "longer than 1,024 bytes");
    add("path-file-and-folder", tar(&|tar| tar.file("package/a", MAIN).file("package/a/b", MAIN)), "cannot be written");
    // Links and devices: they are not written, so the package has nothing to import.
    for (name, kind, target) in [
        ("link-symbolic", b'2', "/etc/passwd"),
        ("link-hard", b'1', "../../../../etc/passwd"),
        ("device-character", b'3', ""),
        ("device-block", b'4', ""),
        ("pipe", b'6', ""),
    ] {
        add(name, tar(&|tar| tar.special(kind, "package/index.js", target)), "has no entry");
    }
    add(
        "link-folder",
        tar(&|tar| tar.special(b'2', "package/lib", "/tmp").file("package/lib/escaped.js", MAIN)),
        "has no entry",
    );
    // Bombs.
    add(
        "bomb-ratio",
        tar(&|tar| tar.file("package/zeros.js", &vec![0; 48 << 20])),
        "unpacked bytes for each packed byte",
    );
    add(
        "bomb-count",
        tar(&|tar| {
            (0..2_100).fold(tar, |tar, number| {
                tar.file(&format!("package/{number}"), number.to_string().repeat(40).as_bytes())
            })
        }),
        "entries of a tarball",
    );
    add("bomb-name", tar(&|tar| tar.long_name(&vec![b'a'; 1 << 20]).file("x", MAIN)), "a name in it is longer");
    add(
        "bomb-header",
        tar(&|tar| tar.extended("comment", &vec![b'a'; 1 << 20]).file("x", MAIN)),
        "a name in it is longer",
    );
    add("size-extended", tar(&|tar| tar.extended("size", b"99999999999").file("package/x", MAIN)), "another size");
    add("size-lies", tar(&|tar| tar.entry(b'0', b"package/index.js", 7 << 30, MAIN, "")), "cannot be used");
    // Damage.
    let good = package(&[("package.json", "{}"), ("index.js", "exports.x = 1;")]);
    add("damage-cut", Answers::of(good[..good.len() / 2].to_vec()), "it is damaged");
    add("damage-none", Answers::of(b"<html>not a tarball</html>".to_vec()), "it is damaged");
    add("damage-empty", Answers::of(Vec::new()), "cannot be used");
    let mut flipped = good.clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0xff;
    add("damage-flipped", Answers::of(flipped.clone()), "cannot be used");
    // Integrity.
    add(
        "integrity-wrong",
        Answers { tarball: Reply::bytes(flipped), ..Answers::of(good.clone()) },
        "does not match its published integrity",
    );
    let with = |dist: serde_json::Value, tarball: Reply| Answers {
        packument: Reply::json(&document(&json!({"version": "1.0.0", "dist": dist}))),
        tarball,
    };
    let address = "ORIGIN/NAME/-/x-1.0.0.tgz";
    let bytes = || Reply::bytes(good.clone());
    add("integrity-none", with(json!({"tarball": address}), bytes()), "publishes no integrity");
    add(
        "integrity-unknown",
        with(json!({"tarball": address, "integrity": "md5-AAAA"}), bytes()),
        "publishes no integrity",
    );
    add("integrity-broken", with(json!({"tarball": address, "integrity": "sha512-!!"}), bytes()), "does not match");
    add("integrity-old", with(json!({"tarball": address, "shasum": "00".repeat(20)}), bytes()), "does not match");
    // How a tarball comes.
    let whole = |tarball| Answers { tarball, ..Answers::of(good.clone()) };
    add("body-large", whole(Reply::Cut(good.clone(), 200 << 20)), "bytes of a packed tarball");
    add("body-endless", whole(Reply::Flood(Vec::new())), "exceeds the limit of");
    add("body-slow", whole(Reply::Drip(Vec::new())), "2 seconds for a tarball");
    add("body-loop", whole(Reply::redirect("ORIGIN/NAME/-/x-1.0.0.tgz")), "more than 5 redirects");
    add("body-inside", whole(Reply::redirect("http://127.0.0.1:9/x.tgz")), "is not fetched");
    add("body-inside-https", whole(Reply::redirect("https://10.0.0.1/x.tgz")), "not a public address");
    add("body-file", whole(Reply::redirect("file:///etc/passwd")), "not http or https");
    add("body-nowhere", whole(Reply::Whole("302 Found", Vec::new(), Vec::new())), "a redirect to nowhere");
    add("body-missing", whole(Reply::Whole("404 Not Found", Vec::new(), Vec::new())), "does not have it");
    for (name, address) in [
        ("address-file", "file:///etc/passwd"),
        ("address-inside", "http://127.0.0.1:9/x.tgz"),
        ("address-metadata", "http://169.254.169.254/latest/meta-data"),
        ("address-six", "https://[::1]/x.tgz"),
        ("address-name", "https://metadata.google.internal/x.tgz"),
        ("address-password", "https://user:secret@example.com/x.tgz"),
        ("address-none", "not an address"),
    ] {
        let dist = json!({"tarball": address, "integrity": ui4a_tests::tarballs::integrity(&good)});
        add(name, with(dist, bytes()), if name == "address-none" { "does not parse" } else { "is not fetched" });
    }
    (made, says)
}
