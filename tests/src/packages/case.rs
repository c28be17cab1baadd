//! What is asked of each specifier: one small use, and what must be seen when it works.
//!
//! A file holds many. A case begins with `=== SPECIFIER`; then come `shows TEXT` or `where EXPRESSION` (JavaScript, true in the
//! frame once it works), `styles` where the specifier is a style sheet, and the module, as a model would write it.

use anyhow::{Context as _, Result, bail};
use serde_json::json;
use std::path::Path;

/// One specifier and its use.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// What is imported.
    pub specifier: String,
    /// True in the frame once the use works.
    pub works: String,
    /// Whether it is a style sheet, which exports nothing.
    pub is_style: bool,
    /// The module that uses it.
    pub source: String,
}

impl Case {
    /// What its module imports of the same package before it: a part that adds to its package expects that to have run.
    pub fn expects(&self) -> Vec<String> {
        let package = |specifier: &str| {
            specifier.splitn(3, '/').take(1 + usize::from(specifier.starts_with('@'))).collect::<Vec<_>>().join("/")
        };
        let imports = self.source.lines().filter(|line| line.starts_with("import ")).filter_map(|line| {
            let quoted = line.trim_end_matches(';').strip_suffix('\'')?;
            quoted.rsplit_once('\'').map(|(_, specifier)| specifier.to_owned())
        });
        let before = imports.take_while(|specifier| *specifier != self.specifier);
        before.filter(|specifier| package(specifier) == package(&self.specifier)).collect()
    }
}

/// All cases in the repository, in the order of their files and lines.
///
/// # Errors
/// A file cannot be read, or is not written as it should be.
pub fn cases() -> Result<Vec<Case>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/imports");
    let mut files: Vec<_> =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        all.extend(parse(&text).with_context(|| file.display().to_string())?);
    }
    Ok(all)
}

fn parse(text: &str) -> Result<Vec<Case>> {
    let mut all: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(specifier) = line.strip_prefix("=== ") {
            all.push(Case { specifier: specifier.to_owned(), ..Case::default() });
            continue;
        }
        let Some(case) = all.last_mut() else { bail!("the first line is not `=== SPECIFIER`") };
        if !case.source.is_empty() {
            case.source.push_str(line);
            case.source.push('\n');
        } else if let Some(shown) = line.strip_prefix("shows ") {
            case.works = format!("document.body?.innerText.includes({})", json!(shown));
        } else if let Some(expression) = line.strip_prefix("where ") {
            case.works = expression.to_owned();
        } else if line == "styles" {
            case.is_style = true;
        } else {
            case.source = format!("{line}\n");
        }
    }
    match all.iter().find(|case| case.works.is_empty() || !case.source.contains(&case.specifier)) {
        Some(bad) => bail!("{}: what must be seen, and a module that imports it, are both needed", bad.specifier),
        None => Ok(all),
    }
}
