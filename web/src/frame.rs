//! The frame: the document in which an artifact runs, and the headers that fence it in.
//!
//! Owns the document's shape and its policy, as data. Knows nothing of HTTP servers, sessions or artifacts: every frame is
//! the same document, and what it shows arrives by its port.

use askama::Template;

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
    // Inside these elements nothing is escaped; only their end must not be spelled.
    let style = format!("{base_css}\n{STYLE}").replace("</style", "<\\/style");
    let runtime = runtime_js.replace("</script", "<\\/script").replace("<!--", "<\\!--");
    FrameDocument { title, style, runtime }.render()
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
    fn no_rule_of_the_frame_follows_its_height() {
        let rules = STYLE.rsplit("*/").next().unwrap_or_default();
        assert!(rules.contains("body {") && !rules.contains("height: 100"), "{rules}");
    }
}
