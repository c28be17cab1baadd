//! The parts that commands share, put together.

use crate::paths::Paths;
use crate::runtime::Runtime;
use crate::settings::Settings;
use anyhow::{Context as _, Result};
use std::process::Command;
use std::sync::Arc;
use ui4a_registry_proxy::{Config, Proxy};

/// The registry proxy over the user's cache, with the kit in it.
///
/// # Errors
/// The cache folder cannot be used.
pub fn proxy(paths: &Paths, runtime: &Runtime, settings: &Settings) -> Result<Arc<Proxy>> {
    let config = Config {
        cache: paths.cache.clone(),
        npmrc_dirs: std::env::current_dir().into_iter().collect(),
        isolate: Some(Arc::new(ui4a_isolate::Pool::new(isolate_command()?))),
        allow_addresses: settings.allow_addresses.clone(),
        policy: settings.packages.clone(),
        names: None,
        limits: settings.limits.clone(),
    };
    let proxy =
        Proxy::open(config).with_context(|| format!("opening the package cache in {}", paths.cache.display()))?;
    proxy.add_package(runtime.kit.clone());
    Ok(Arc::new(proxy))
}

/// This program again, as the worker that runs untrusted code and confines programs that are not ours.
///
/// # Errors
/// The system does not say which file this program is.
pub fn isolate_command() -> Result<Command> {
    let program = std::env::current_exe().context("finding this program's own file")?;
    let mut command = Command::new(program);
    command.arg("isolate");
    Ok(command)
}
