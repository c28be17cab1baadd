//! Repository rules that a compiler does not check: `cargo xtask tidy`.

mod dependencies;
mod files;

use anyhow::{Result, bail};
use std::path::Path;

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or_else(|| Path::new("."));
    match std::env::args().nth(1).as_deref() {
        Some("tidy") => tidy(root),
        _ => bail!("usage: cargo xtask tidy"),
    }
}

/// Prints every rule that is broken, with what to do, and fails when there is one.
fn tidy(root: &Path) -> Result<()> {
    let mut broken = dependencies::check(root)?;
    broken.extend(files::check(root)?);
    broken.iter().for_each(|rule| eprintln!("tidy: {rule}"));
    if broken.is_empty() {
        println!("tidy: ok");
        return Ok(());
    }
    bail!("{} rules are broken", broken.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a parent");
        tidy(root).expect("no rule is broken");
    }
}
