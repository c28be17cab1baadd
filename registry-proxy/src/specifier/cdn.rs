//! The well-known content delivery networks: which package, version and file an address on one of them stands for.

use super::{NpmSpecifier, parse_npm, percent_decode};
use url::Url;

/// The package that an address stands for; `None` when it stands for itself.
///
/// # Errors
/// In words: the address is on such a network, but names no package.
pub(super) fn package(url: &Url) -> Result<Option<NpmSpecifier>, String> {
    let host = url.host_str().unwrap_or("").trim_start_matches("www.");
    let path = percent_decode(url.path().trim_start_matches('/'))?;
    let text = match host {
        "esm.sh" => esm_sh(&path),
        "unpkg.com" | "esm.run" => Some(path.clone()),
        "cdn.jsdelivr.net" => path.strip_prefix("npm/").map(str::to_owned),
        "cdn.skypack.dev" => {
            Some(path.strip_prefix("pin/").unwrap_or(&path).to_owned()).filter(|path| !path.starts_with('-'))
        }
        "ga.jspm.io" | "jspm.dev" => path.strip_prefix("npm:").map(str::to_owned),
        "cdnjs.cloudflare.com" | "ajax.googleapis.com" => path.strip_prefix("ajax/libs/").and_then(cdnjs),
        _ => elsewhere(host, &path),
    };
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let mut specifier = parse_npm(text.trim_end_matches("/+esm").trim_end_matches('/'))?;
    specifier.file = !specifier.subpath.is_empty();
    specifier.loose = matches!(host, "cdnjs.cloudflare.com" | "ajax.googleapis.com" | "cdn.jsdelivr.net");
    if specifier.range.as_deref().is_none_or(|range| range == "latest") {
        specifier.range = last_with(&specifier.name, &specifier.subpath).map(str::to_owned).or(specifier.range);
    }
    for (key, value) in url.query_pairs() {
        if key == "alias" {
            for alias in value.split(',').filter(|alias| !alias.is_empty()) {
                let (from, to) = alias.split_once(':').ok_or("`?alias=` wants `name:other`")?;
                super::check_name(from)?;
                specifier.aliases.insert(from.to_owned(), parse_npm(to)?);
            }
        }
        if key == "deps" {
            for pin in value.split(',') {
                let pin = parse_npm(pin)?;
                specifier.pins.insert(pin.name, pin.range.unwrap_or_else(|| "*".to_owned()));
            }
        }
    }
    Ok(Some(specifier))
}

/// The newest versions that have a file which later ones lack. Addresses without a version mean these.
fn last_with(name: &str, file: &str) -> Option<&'static str> {
    match (name, file) {
        ("react" | "react-dom", file) if file.starts_with("umd/") => Some("^18.0.0"),
        ("three", "build/three.js" | "build/three.min.js") => Some("<0.161.0"),
        ("three", file) if file.starts_with("examples/js/") => Some("<0.148.0"),
        ("marked", "marked.min.js") => Some("<16.0.0"),
        ("vue", "dist/vue.js" | "dist/vue.min.js") => Some("^2.0.0"),
        ("chart.js", "dist/Chart.js" | "dist/Chart.min.js" | "dist/Chart.bundle.min.js") => Some("^2.0.0"),
        ("chart.js", "dist/chart.js" | "dist/chart.min.js") => Some("^3.0.0"),
        _ => None,
    }
}

/// `/stable/react@18&dev`, `/v135/*swr`, `/react@18/es2022/react.mjs`.
fn esm_sh(path: &str) -> Option<String> {
    let mut path = path;
    if let Some((first, rest)) = path.split_once('/')
        && (first == "stable"
            || first.strip_prefix('v').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())))
    {
        path = rest;
    }
    if ["gh/", "jsr/", "pr/"].iter().any(|other| path.starts_with(other)) {
        return None;
    }
    let path = path.trim_start_matches('*').replace("@latest&", "&");
    // Flags such as `&dev` follow the version.
    let (head, tail) = match path.split_once('&') {
        Some((head, flags)) => (head.to_owned(), flags.split_once('/').map(|(_, tail)| tail.to_owned())),
        None => (path, None),
    };
    // `es2022/name.mjs` is where its builds lie: the package itself is meant.
    let text = tail.map_or(head.clone(), |tail| format!("{head}/{tail}"));
    let build = text.split('/').position(|part| {
        ["es2015", "es2020", "es2021", "es2022", "es2023", "es2024", "esnext", "node", "deno"].contains(&part)
    });
    match build {
        Some(at) if text.ends_with(".mjs") && at > 0 => Some(text.split('/').take(at).collect::<Vec<_>>().join("/")),
        _ => Some(text),
    }
}

/// Libraries that cdnjs calls otherwise than npm does, or whose files it keeps at its top: name there, package, folder.
const CDNJS: &[(&str, &str, &str)] = &[
    ("ace", "ace-builds", "src-min-noconflict"),
    ("angularjs", "angular", ""),
    ("animejs", "animejs", "lib"),
    ("aos", "aos", "dist"),
    ("axios", "axios", "dist"),
    ("babel-standalone", "@babel/standalone", ""),
    ("bootstrap", "bootstrap", "dist"),
    ("chart.js", "chart.js", "dist"),
    ("codemirror", "codemirror", "lib"),
    ("cytoscape", "cytoscape", "dist"),
    ("d3", "d3", "dist"),
    ("d3js", "d3", "dist"),
    ("echarts", "echarts", "dist"),
    ("fabric.js", "fabric", "dist"),
    ("filesaver.js", "file-saver", "dist"),
    ("font-awesome", "@fortawesome/fontawesome-free", ""),
    ("gsap", "gsap", "dist"),
    ("hammer.js", "hammerjs", ""),
    ("handlebars.js", "handlebars", "dist"),
    ("highlight.js", "@highlightjs/cdn-assets", ""),
    ("howler", "howler", "dist"),
    ("html2canvas", "html2canvas", "dist"),
    ("jquery", "jquery", "dist"),
    ("jqueryui", "jquery-ui", "dist"),
    ("jspdf", "jspdf", "dist"),
    ("jszip", "jszip", "dist"),
    ("katex", "katex", "dist"),
    ("konva", "konva", ""),
    ("leaflet", "leaflet", "dist"),
    ("lodash.js", "lodash", ""),
    ("luxon", "luxon", "build/global"),
    ("mathjs", "mathjs", "lib/browser"),
    ("matter-js", "matter-js", "build"),
    ("mermaid", "mermaid", "dist"),
    ("moment.js", "moment", "min"),
    ("mustache.js", "mustache", ""),
    ("normalize", "normalize.css", ""),
    ("numeral.js", "numeral", "min"),
    ("p5.js", "p5", "lib"),
    ("papaparse", "papaparse", ""),
    ("pixi.js", "pixi.js", "dist"),
    ("plotly.js", "plotly.js-dist-min", ""),
    ("prism", "prismjs", ""),
    ("rough.js", "roughjs", "bundled"),
    ("swiper", "swiper", ""),
    ("three.js", "three", "build"),
    ("threejs", "three", "build"),
    ("tone", "tone", "build"),
    ("underscore.js", "underscore", ""),
    ("vue", "vue", "dist"),
    ("xlsx", "xlsx", "dist"),
];

/// `Chart.js/4.4.1/chart.umd.min.js` → `chart.js@4.4.1/dist/chart.umd.min.js`.
fn cdnjs(path: &str) -> Option<String> {
    let (library, rest) = path.split_once('/')?;
    let (version, file) = rest.split_once('/')?;
    let lower = library.to_ascii_lowercase();
    let known = CDNJS.iter().find(|(name, ..)| *name == lower);
    let (package, folder) = match known {
        // The package changed its name with version 5.
        Some((_, "@fortawesome/fontawesome-free", _)) if version.starts_with('4') => ("font-awesome", ""),
        Some((_, package, folder)) => (*package, *folder),
        None => (lower.strip_suffix(".js").unwrap_or(&lower), ""),
    };
    // three.js numbers its releases; npm has 0 before them.
    let version = match version.strip_prefix('r') {
        Some(release) if package == "three" => format!("0.{release}"),
        _ => version.to_owned(),
    };
    Some(format!("{package}@{version}/{}", joined(folder, file)))
}

fn joined(folder: &str, file: &str) -> String {
    if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") }
}

/// Libraries that have addresses of their own.
fn elsewhere(host: &str, path: &str) -> Option<String> {
    let minified = |path: &str| path.ends_with(".min.js");
    match host {
        "code.jquery.com" => {
            if let Some((version, file)) = path.strip_prefix("ui/").and_then(|rest| rest.split_once('/')) {
                return Some(format!("jquery-ui@{version}/dist/{file}"));
            }
            let (version, flavour) = release(path.strip_prefix("jquery-")?)?;
            Some(format!("jquery@{version}/dist/jquery.{flavour}js"))
        }
        "cdn.plot.ly" => {
            let (version, _) = release(path.strip_prefix("plotly-")?)?;
            // The address that says "latest" was left at this version.
            let version = if version == "latest" { "1.58.5" } else { version };
            Some(format!("plotly.js-dist-min@{version}/plotly.min.js"))
        }
        "d3js.org" => {
            let version = path.strip_prefix("d3.v")?.split('.').next()?;
            let file = if minified(path) { "d3.min.js" } else { "d3.js" };
            let folder = if version.parse::<u32>().is_ok_and(|major| major < 4) { "" } else { "dist" };
            Some(format!("d3@{version}/{}", joined(folder, file)))
        }
        "maxcdn.bootstrapcdn.com" | "stackpath.bootstrapcdn.com" | "netdna.bootstrapcdn.com" => {
            let (library, rest) = path.split_once('/')?;
            let (version, file) = rest.split_once('/')?;
            match library {
                "bootstrap" => Some(format!("bootstrap@{version}/dist/{file}")),
                "font-awesome" => Some(format!("font-awesome@{version}/{file}")),
                _ => None,
            }
        }
        "use.fontawesome.com" => {
            let (version, file) = path.strip_prefix("releases/v")?.split_once('/')?;
            Some(format!("@fortawesome/fontawesome-free@{version}/{file}"))
        }
        "aframe.io" => {
            let (version, file) = path.strip_prefix("releases/")?.split_once('/')?;
            Some(format!("aframe@{version}/dist/{file}"))
        }
        "threejs.org" => {
            let file = path.strip_prefix("build/").map(|file| format!("build/{file}"));
            file.or_else(|| path.strip_prefix("examples/jsm/").map(|file| format!("examples/jsm/{file}")))
                .map(|file| format!("three/{file}"))
        }
        _ => None,
    }
}

/// `3.7.1.min.js` → (`3.7.1`, `min.`).
fn release(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_suffix(".js")?;
    let (text, slim) = match text.strip_suffix(".min") {
        Some(text) => (text, "min."),
        None => (text, ""),
    };
    Some(match text.strip_suffix(".slim") {
        Some(version) => (version, if slim.is_empty() { "slim." } else { "slim.min." }),
        None => (text, slim),
    })
}
