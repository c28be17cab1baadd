//! What came of each specifier, and the table of it that is kept in the repository.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What came of one specifier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// What was imported.
    pub specifier: String,
    /// `name@version`.
    pub package: String,
    /// Milliseconds from the request to its modules, with nothing of it in the cache.
    pub cold_ms: u64,
    /// The same in another process with everything in the cache and no registry to ask.
    pub warm_ms: Option<u64>,
    /// Bytes of what the page loaded for it, beyond what every page loads.
    pub bytes: usize,
    /// Modules and style sheets among that.
    pub requests: usize,
    /// Why it fails. Nothing: it passes.
    pub reasons: Vec<String>,
}

/// The share that must pass.
pub const PASS: f64 = 0.97;

/// All rows.
#[derive(Clone, Debug, Default)]
pub struct Table(pub Vec<Row>);

const HEAD: &str =
    "| specifier | package | result | cold ms | warm ms | bytes | requests |\n|---|---|---|---:|---:|---:|---:|\n";

impl Table {
    /// Rows without a reason.
    pub fn passed(&self) -> usize {
        self.0.iter().filter(|row| row.reasons.is_empty()).count()
    }

    /// Whether enough of them pass.
    pub fn holds(&self) -> bool {
        self.passed() as f64 >= PASS * self.0.len() as f64
    }

    /// The table as Markdown.
    pub fn text(&self) -> String {
        let (passed, all) = (self.passed(), self.0.len());
        let share = 100.0 * passed as f64 / all.max(1) as f64;
        let mut text = format!(
            "# Imports\n\nMade by `make conformance-imports BLESS=--bless`. {passed} of {all} pass ({share:.1}%). Cold: nothing of the package in the \
             cache, two cores.\nWarm: another process, everything in the cache, the registry refused. Bytes and requests: beyond \
             React's own, uncompressed.\n\n{HEAD}"
        );
        for row in &self.0 {
            let result = if row.reasons.is_empty() { "pass" } else { "FAIL" };
            let warm = row.warm_ms.map_or_else(|| "–".to_owned(), |ms| ms.to_string());
            let _ = writeln!(
                text,
                "| {} | {} | {result} | {} | {warm} | {} | {} |",
                row.specifier, row.package, row.cold_ms, row.bytes, row.requests
            );
        }
        let failed: Vec<_> = self.0.iter().filter(|row| !row.reasons.is_empty()).collect();
        if !failed.is_empty() {
            text.push_str("\n## Why the others fail\n\n");
        }
        for row in failed {
            let reasons: Vec<String> =
                row.reasons.iter().map(|reason| reason.replace('\n', " ").replace('|', "/")).collect();
            let _ = writeln!(text, "- `{}`: {}", row.specifier, reasons.join("; "));
        }
        text
    }

    /// Specifiers that passed in a table that was kept and do not now.
    pub fn worse_than(&self, kept: &str) -> Vec<&str> {
        let passed: BTreeMap<&str, bool> = kept
            .lines()
            .filter_map(|line| {
                let mut cells = line.strip_prefix("| ")?.split(" | ");
                Some((cells.next()?, cells.nth(1)? == "pass"))
            })
            .collect();
        let fails = self.0.iter().filter(|row| !row.reasons.is_empty());
        fails.map(|row| row.specifier.as_str()).filter(|name| passed.get(name) == Some(&true)).collect()
    }
}
