//! What an import costs: from an empty cache beside npm and esbuild, with the tarballs there, and in bytes.

use crate::row::{Row, median};
use crate::{Bench, Family};
use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;
use tempfile::TempDir;
use tokio::process::Command;
use ui4a_tests::packages::{Packages, modules};

/// The family.
pub const FAMILY: Family = Family {
    name: "imports",
    about: "recharts, lucide-react and motion from an empty cache beside npm and esbuild; a new artifact on warm tarballs; bytes of icons",
    run: |bench| Box::pin(run(bench)),
};

/// What is imported: a chart, three icons, a motion.
const ARTIFACT: &str = "import { LineChart, Line, XAxis } from 'recharts';\n\
    import { House, Search, ArrowRight } from 'lucide-react';\n\
    import { motion } from 'motion/react';\n\
    export default () => <motion.div><House /><Search /><ArrowRight />\
    <LineChart width={300} height={200} data={[{ x: 1, y: 2 }]}><XAxis dataKey=\"x\" /><Line dataKey=\"y\" /></LineChart></motion.div>;\n";

/// The same as the peer's entry: it mounts itself.
const MOUNT: &str = "import { createRoot } from 'react-dom/client';\nimport App from './app.jsx';\n\
    createRoot(document.body).render(<App />);\n";

/// Icons that are measured alone.
const ICONS: &str = "import { House, Search, ArrowRight } from 'lucide-react';\nexport default () => <p><House /><Search /><ArrowRight /></p>;\n";

async fn run(bench: &Bench) -> Result<Vec<Row>> {
    let (mut cold, mut peer, mut warm) = (Vec::new(), Vec::new(), Vec::new());
    let mut icons = 0;
    for _ in 0..bench.rounds {
        let cache = TempDir::new()?;
        let packages = Packages::start_bare(cache.path()).await?;
        cold.push(artifact(&packages, ARTIFACT).await?);
        peer.push(npm_and_esbuild(bench).await?);
        icons = bytes_of(&packages, ICONS, "lucide-react").await?;
        drop(packages);
        // The tarballs stay, what was built of them goes: an artifact that nobody made before.
        for made in ["builds", "blobs"] {
            std::fs::remove_dir_all(cache.path().join(made)).with_context(|| made.to_owned())?;
        }
        let packages = Packages::start_bare(cache.path()).await?;
        // React and the kit are warm in any server that has shown one artifact.
        artifact(&packages, "export default () => <p>warm</p>;\n").await?;
        warm.push(artifact(&packages, ICONS).await?);
    }
    Ok(vec![
        Row::peer("imports/cold", "ms", median(cold), ("npm install and esbuild", median(peer)), 2.0),
        Row::limit("imports/new-artifact", "ms", median(warm), 150.0),
        Row::limit("imports/three-icons", "bytes", icons as f64, 12_288.0),
    ])
}

/// Milliseconds until all modules of an artifact are ready.
async fn artifact(packages: &Packages, source: &str) -> Result<f64> {
    let started = Instant::now();
    let rendered = packages.render("tsx", source).await?;
    let took = started.elapsed().as_secs_f64() * 1e3;
    let imports = rendered["imports"].as_object().context("imports")?;
    ensure!(imports.values().all(|import| import["state"] == "ready"), "{imports:?}");
    Ok(took)
}

/// Bytes of the module of a specifier.
async fn bytes_of(packages: &Packages, source: &str, specifier: &str) -> Result<usize> {
    let rendered: Value = packages.render("tsx", source).await?;
    let url = rendered["imports"][specifier]["url"].as_str().context("a module")?;
    let loaded = modules::load(&packages.ui4a, &[url.trim_start_matches("/m/").to_owned()].into()).await?;
    Ok(loaded.values().map(String::len).sum())
}

/// Milliseconds that npm takes to install the same into an empty folder with an empty cache, and esbuild to bundle it.
async fn npm_and_esbuild(bench: &Bench) -> Result<f64> {
    let folder = TempDir::new()?;
    std::fs::write(folder.path().join("package.json"), "{\"private\": true}")?;
    std::fs::write(folder.path().join("app.jsx"), ARTIFACT)?;
    std::fs::write(folder.path().join("main.jsx"), MOUNT)?;
    let esbuild = bench.root.join("tests/bench/node_modules/.bin/esbuild");
    let started = Instant::now();
    let install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--cache", ".npm"];
    let packages = ["react", "react-dom", "recharts", "lucide-react", "motion"];
    said(Command::new("npm").current_dir(folder.path()).args(install).args(packages), "npm install").await?;
    let bundle = ["main.jsx", "--bundle", "--minify", "--format=esm", "--jsx=automatic", "--outfile=out.js"];
    let define = "--define:process.env.NODE_ENV=\"production\"";
    said(Command::new(&esbuild).current_dir(folder.path()).args(bundle).arg(define), "esbuild").await?;
    let took = started.elapsed().as_secs_f64() * 1e3;
    ensure!(Path::new(&folder.path().join("out.js")).is_file(), "esbuild wrote nothing");
    Ok(took)
}

async fn said(command: &mut Command, name: &str) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().await.with_context(|| name.to_owned())?;
    ensure!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}
