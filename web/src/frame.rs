//! The frame: the document in which an artifact runs, and the headers that fence it in.
//!
//! Owns the document's shape and its policy, as data. Knows nothing of HTTP servers, sessions or artifacts: every frame is
//! the same document, and what it shows arrives by its port.

use crate::runtime::BUILT_IN_SPECIFIERS;
use askama::Template;
use serde::Serialize;
use std::collections::BTreeMap;
use ui4a_types::Kind;
use ui4a_types::frame::FrameState;

const STYLE: &str = include_str!("../runtime/frame.css");

/// What the `sandbox` attribute and the policy's `sandbox` directive allow. Forms may be used, but go nowhere.
pub const SANDBOX: &str = "allow-scripts allow-forms";

#[derive(Template)]
#[template(path = "frame.html")]
struct FrameDocument<'a> {
    title: &'a str,
    style: String,
    runtime: String,
}

/// The frame document around the compiled runtime. `base_css` is the preflight, the tokens and the kit's classes.
///
/// # Errors
/// Never for want of input; the template engine's own error, should writing to a string fail.
pub fn frame_document(runtime_js: &str, base_css: &str, title: &str) -> Result<String, askama::Error> {
    FrameDocument { title, style: inline_style(base_css), runtime: inline_script(runtime_js) }.render()
}

// Inside these elements nothing is escaped; only their end must not be spelled.

fn inline_style(base_css: &str) -> String {
    format!("{base_css}\n{STYLE}").replace("</style", "<\\/style")
}

fn inline_script(script: &str) -> String {
    script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
}

/// A page of its own: one file that shows an artifact with the network off.
#[derive(Clone, Copy, Debug)]
pub struct Standalone<'a> {
    /// The page's title; what the artifact keeps is kept under it.
    pub title: &'a str,
    /// The compiled runtime.
    pub runtime: &'a str,
    /// The preflight, the tokens and the kit's classes.
    pub base_css: &'a str,
    /// [`standalone_entry`], bundled into one module that imports nothing.
    pub modules: &'a str,
    /// The language of the source.
    pub kind: Kind,
    /// The whole compiled state.
    pub state: &'a FrameState,
    /// The files that stand for the state's tokens, by key.
    pub assets: &'a BTreeMap<String, PageFile>,
    /// What the modules were made from, as JSON: kept in the page for whoever makes it again.
    pub lock: &'a str,
}

/// A file that a page holds.
#[derive(Clone, Debug, Serialize)]
pub struct PageFile {
    /// Its media type.
    #[serde(rename = "type")]
    pub media_type: String,
    /// Its bytes in base 64.
    pub data: String,
}

#[derive(Template)]
#[template(path = "standalone.html")]
struct StandaloneDocument<'a> {
    title: &'a str,
    policy: &'a str,
    style: String,
    start: String,
    runtime: String,
    modules: String,
    lock: String,
}

#[derive(Serialize)]
struct Start<'a> {
    kind: Kind,
    title: &'a str,
    state: &'a FrameState,
    assets: &'a BTreeMap<String, PageFile>,
}

/// A page that is opened from a file has no headers, so it carries its policy: nothing is fetched, ever.
const STANDALONE_POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; script-src blob: \
    'unsafe-inline' 'unsafe-eval'; style-src blob: 'unsafe-inline'; img-src blob: data:; media-src blob: data:; font-src data:; \
    connect-src blob: data:; worker-src blob: data:";

/// The page.
///
/// # Errors
/// As [`frame_document`].
pub fn standalone_document(page: &Standalone<'_>) -> Result<String, askama::Error> {
    let start = Start { kind: page.kind, title: page.title, state: page.state, assets: page.assets };
    let start = serde_json::to_string(&start).map_err(|error| askama::Error::Custom(error.into()))?;
    StandaloneDocument {
        title: page.title,
        policy: STANDALONE_POLICY,
        style: inline_style(page.base_css),
        start: start.replace('<', "\\u003c"),
        runtime: inline_script(page.runtime),
        modules: inline_script(page.modules),
        lock: page.lock.replace('<', "\\u003c"),
    }
    .render()
}

/// The module that hands everything in `modules` to the runtime of a [`standalone_document`]: specifier → the names that
/// are wanted of it, all when there are none. React and its JSX runtime, without which nothing but a document renders, are
/// added.
pub fn standalone_entry<'a>(kind: Kind, modules: impl IntoIterator<Item = (&'a str, &'a [String])>) -> String {
    let always: &[&str] = match kind {
        Kind::Html => &[],
        _ => &["react", "react/jsx-runtime", "react-dom", "react-dom/client"],
    };
    let mut all: BTreeMap<&str, &[String]> = modules.into_iter().collect();
    all.extend(always.iter().map(|specifier| (*specifier, &[][..])));
    all.retain(|specifier, _| !BUILT_IN_SPECIFIERS.contains(specifier));
    let quote = |text: &str| serde_json::Value::from(text).to_string();
    let (mut imports, mut table) = (String::new(), String::new());
    for (at, (specifier, names)) in all.into_iter().enumerate() {
        let quoted = quote(specifier);
        if names.is_empty() {
            imports.push_str(&format!("import * as m{at} from {quoted};\n"));
            table.push_str(&format!("{quoted}: m{at}, "));
            continue;
        }
        let each = || names.iter().enumerate();
        let clause: Vec<String> = each().map(|(n, name)| format!("{} as m{at}_{n}", quote(name))).collect();
        let values: Vec<String> = each().map(|(n, name)| format!("{}: m{at}_{n}", quote(name))).collect();
        imports.push_str(&format!("import {{ {} }} from {quoted};\n", clause.join(", ")));
        table.push_str(&format!("{quoted}: {{ __proto__: null, {} }}, ", values.join(", ")));
    }
    format!("{imports}globalThis.__ui4a_modules({{ __proto__: null, {table}}});\n")
}

/// The headers of a frame document whose origin is `origin` (`http://{label}.localhost:4401`, no trailing slash).
/// `allowed_hosts` are origins that the user allowed for this artifact (`https://api.example.org`); what does not look
/// like an origin is left out.
///
/// In the frame's opaque origin `'self'` matches nothing, so the policy names the origin, and of it only `/m/`.
pub fn frame_headers(origin: &str, allowed_hosts: &[String]) -> Vec<(&'static str, String)> {
    let hosts: Vec<&str> = allowed_hosts.iter().map(String::as_str).filter(|host| is_origin(host)).collect();
    let more: String = hosts.iter().map(|host| format!(" {host}")).collect();
    let policy = format!(
        "sandbox {SANDBOX}; default-src 'none'; base-uri 'none'; form-action 'none'; \
         script-src {origin}/m/ blob: 'unsafe-inline' 'unsafe-eval'{more}; style-src {origin}/m/ 'unsafe-inline'{more}; \
         img-src {origin}/m/ blob: data:{more}; media-src {origin}/m/ blob: data:{more}; \
         font-src {origin}/m/ data:{more}; connect-src {origin}/m/ blob: data:{more}; worker-src blob:"
    );
    let patterns: String = hosts.iter().map(|host| format!(" \"{host}\"")).collect();
    vec![
        ("Content-Type", "text/html; charset=utf-8".into()),
        ("Content-Security-Policy", policy),
        ("Connection-Allowlist", format!("(response-origin{patterns});webrtc=block")),
        ("X-Content-Type-Options", "nosniff".into()),
        ("Referrer-Policy", "no-referrer".into()),
        ("Cache-Control", "no-store".into()),
        ("Cross-Origin-Resource-Policy", "cross-origin".into()),
        ("X-DNS-Prefetch-Control", "off".into()),
        ("Permissions-Policy", PERMISSIONS.into()),
    ]
}

/// Features that an artifact has no use for. The clipboard may be written, after a gesture.
const PERMISSIONS: &str = "accelerometer=(), browsing-topics=(), camera=(), clipboard-read=(), \
    display-capture=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), local-fonts=(), magnetometer=(), \
    microphone=(), midi=(), payment=(), publickey-credentials-get=(), serial=(), storage-access=(), usb=(), \
    window-management=(), xr-spatial-tracking=()";

/// Whether `host` is `https://` or `http://`, a host, perhaps a port, and nothing that could end a directive.
fn is_origin(host: &str) -> bool {
    let Some(rest) = host.strip_prefix("https://").or_else(|| host.strip_prefix("http://")) else { return false };
    !rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &str, hosts: &[&str]) -> String {
        let hosts: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
        let found = frame_headers("http://abc.localhost:4401", &hosts).into_iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| value).unwrap_or_default()
    }

    #[test]
    fn the_policy_is_the_contract_s() {
        assert_eq!(
            header("Content-Security-Policy", &[]),
            "sandbox allow-scripts allow-forms; default-src 'none'; base-uri 'none'; form-action 'none'; script-src \
             http://abc.localhost:4401/m/ blob: 'unsafe-inline' 'unsafe-eval'; style-src http://abc.localhost:4401/m/ \
             'unsafe-inline'; img-src http://abc.localhost:4401/m/ blob: data:; media-src http://abc.localhost:4401/m/ \
             blob: data:; font-src http://abc.localhost:4401/m/ data:; connect-src http://abc.localhost:4401/m/ blob: \
             data:; worker-src blob:"
        );
        assert_eq!(header("Connection-Allowlist", &[]), "(response-origin);webrtc=block");
    }

    #[test]
    fn allowed_hosts_enter_both_lists_and_cannot_widen_the_policy() {
        let hosts = ["https://api.example.org", "https://x.org; script-src *", "*", "https://a b", "javascript:x"];
        let policy = header("Content-Security-Policy", &hosts);
        assert!(policy.contains("data: https://api.example.org; worker-src"), "{policy}");
        assert!(!policy.contains('*'), "{policy}");
        let allowlist = header("Connection-Allowlist", &hosts);
        assert_eq!(allowlist, "(response-origin \"https://api.example.org\");webrtc=block");
    }

    #[test]
    fn nothing_in_the_document_can_end_its_script_early() {
        let page = frame_document("a='</script><img>';b='<!--'", "p{content:'</style>'}", "<b>&").expect("renders");
        assert_eq!(page.matches("</script").count(), 1);
        assert_eq!(page.matches("</style").count(), 2);
        assert!(!page.contains("<!--") && page.contains("<title>&#60;b&#62;&#38;</title>"), "{page}");
    }

    #[test]
    fn a_page_of_its_own_holds_its_state_and_asks_for_nothing() {
        let state = FrameState { text: "</script><script>alert(1)".into(), ..FrameState::default() };
        let page = Standalone {
            title: "A & B",
            runtime: "run()",
            base_css: "",
            modules: "x",
            kind: Kind::Html,
            state: &state,
            assets: &BTreeMap::new(),
            lock: r#"{"a":"</script>"}"#,
        };
        let page = standalone_document(&page).expect("renders");
        assert_eq!(page.matches("</script>").count(), 4);
        assert!(
            page.contains("default-src &#39;none&#39;") && !page.contains("http:") && !page.contains("https:"),
            "{page}"
        );
    }

    #[test]
    fn the_entry_imports_each_package_once_and_none_that_the_runtime_provides() {
        let entry =
            standalone_entry(Kind::Tsx, ["recharts", "react", "$ui4a/chat", "$ui4a/ui"].map(|name| (name, &[][..])));
        assert_eq!(entry.matches("from \"react\"").count(), 1);
        assert!(entry.contains("from \"recharts\"") && entry.contains("\"$ui4a/ui\": m"), "{entry}");
        assert!(!entry.contains("chat"), "{entry}");
    }

    #[test]
    fn no_rule_of_the_frame_follows_its_height() {
        let rules = STYLE.rsplit("*/").next().unwrap_or_default();
        assert!(rules.contains("body {") && !rules.contains("height: 100"), "{rules}");
    }
}
