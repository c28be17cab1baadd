//! Where the tests find model files.

use std::path::PathBuf;

/// The model file called `name`: in `UI4A_MODELS`, else where `ui4a model pull` puts it.
///
/// # Panics
/// When it is not there, with what to do: tests never pass for want of a model.
pub fn model(name: &str) -> PathBuf {
    let set = |variable: &str| std::env::var_os(variable).filter(|v| !v.is_empty()).map(PathBuf::from);
    let home = || set("HOME").unwrap_or_default();
    let cache = set("UI4A_HOME")
        .map(|dir| dir.join("cache"))
        .unwrap_or_else(|| set("XDG_CACHE_HOME").unwrap_or_else(|| home().join(".cache")).join("ui4a"));
    let path = ui4a_engine::models::folder(cache.join("models")).join(name);
    assert!(path.is_file(), "{} is missing. Run `make models`, or set UI4A_MODELS to its folder", path.display());
    path
}
