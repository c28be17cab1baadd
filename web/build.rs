//! Lists `page/` and `host/` so that a new script or style sheet is served without being named anywhere else.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let root = env::var("CARGO_MANIFEST_DIR")?;
    let mut assets = Vec::new();
    for folder in ["page", "host"] {
        println!("cargo::rerun-if-changed={folder}");
        let Ok(entries) = fs::read_dir(Path::new(&root).join(folder)) else { continue };
        for entry in entries {
            let name = entry?.file_name().into_string().map_err(|name| format!("{name:?} is not UTF-8"))?;
            let Some((stem, extension)) = name.rsplit_once('.') else { continue };
            let (served, content_type) = match extension {
                _ if stem.ends_with(".test") || stem.ends_with(".d") => continue,
                "ts" => (format!("{stem}.js"), "text/javascript; charset=utf-8"),
                "css" => (name.clone(), "text/css; charset=utf-8"),
                "svg" => (name.clone(), "image/svg+xml"),
                _ => continue,
            };
            assets.push((format!("{folder}/{served}"), format!("{folder}/{name}"), content_type));
        }
    }
    assets.sort();
    let mut code = String::from("static ASSETS: &[Asset] = &[\n");
    for (path, file, content_type) in assets {
        let (absolute, typescript) = (Path::new(&root).join(&file), file.ends_with(".ts"));
        writeln!(
            code,
            "Asset {{ path: {path:?}, file: {file:?}, content_type: {content_type:?}, text: include_str!({absolute:?}), \
             typescript: {typescript} }},"
        )?;
    }
    code.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR")?).join("assets.rs"), code)?;
    Ok(())
}
