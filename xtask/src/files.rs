//! Rules for single files: length, and what no file may hold.

use anyhow::{Context as _, Result};
use regex::Regex;
use std::path::Path;
use std::process::Command;

/// Lines above which a file is two ideas. What a script writes (`// Written by …` at its top) is as long as it is.
const MOST_LINES: usize = 600;

/// Extensions of files that people write and read as code.
const CODE: &[&str] = &["rs", "ts", "tsx", "css", "html", "sh", "py"];

/// Every file that breaks a rule.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let listed = Command::new("git").arg("-C").arg(root).args(["ls-files", "-z"]).output().context("git ls-files")?;
    let names = String::from_utf8(listed.stdout).context("file names")?;
    let forbidden = [
        (
            Regex::new(r"\b(todo!|unimplemented!|dbg!)\s*\(")?,
            "leave no unfinished code; finish it or write down its limit",
        ),
        (Regex::new(r"#\[ignore")?, "ignore no test; a test that needs something says so by failing with what to do"),
        (
            Regex::new(r"registry\.(npmjs|yarnpkg)\.|npmmirror\.")?,
            "spell no registry host; it comes from npm's own configuration",
        ),
    ];
    let mut broken = Vec::new();
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if !CODE.contains(&extension) {
            continue;
        }
        // A file that was removed and not committed yet is still listed.
        let Ok(text) = std::fs::read_to_string(root.join(name)) else { continue };
        let lines = text.lines().count();
        let generated = text.lines().take(3).any(|line| line.starts_with("// Written by "));
        if lines > MOST_LINES && !generated && !name.contains("/fixtures/") {
            broken.push(format!("{name} has {lines} lines; above {MOST_LINES} it is two ideas, so make it two files"));
        }
        if name == "xtask/src/files.rs" || name.contains("/fixtures/") {
            continue;
        }
        for (pattern, advice) in &forbidden {
            if let Some(found) = pattern.find(&text) {
                let line = text[..found.start()].lines().count().max(1);
                broken.push(format!("{name}:{line}: `{}`: {advice}", found.as_str()));
            }
        }
        let module = name.ends_with(".rs") && name.contains("/src/");
        if module && !text.trim_start().starts_with("//!") {
            broken.push(format!("{name}: begin with `//!`, a line on what the module owns"));
        }
    }
    Ok(broken)
}
