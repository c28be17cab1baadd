//! The door: a foreign host, a foreign page and no token are refused on every route but the public ones.

use anyhow::Result;
use reqwest::Method;
use reqwest::header::{COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use std::os::unix::fs::PermissionsExt as _;
use ui4a_tests::{Setup, Ui4a};

/// Every route of the main origin.
const ROUTES: &[(&str, &str)] = &[
    ("GET", "/"),
    ("GET", "/sessions/x"),
    ("GET", "/transcripts"),
    ("GET", "/transcripts/a/b"),
    ("POST", "/api/links"),
    ("GET", "/api/sessions"),
    ("POST", "/api/sessions"),
    ("GET", "/api/sessions/x"),
    ("DELETE", "/api/sessions/x"),
    ("POST", "/api/sessions/x/messages"),
    ("POST", "/api/sessions/x/cancel"),
    ("GET", "/api/sessions/x/events"),
    ("POST", "/api/sessions/x/artifacts"),
    ("GET", "/api/artifacts/x"),
    ("GET", "/api/artifacts/x/revisions"),
    ("GET", "/api/artifacts/x/revisions/1"),
    ("GET", "/api/artifacts/x/export"),
    ("POST", "/api/artifacts/x/reports"),
    ("GET", "/api/artifacts/x/state"),
    ("POST", "/api/artifacts/x/state"),
    ("GET", "/api/artifacts/x/actions"),
    ("POST", "/api/artifacts/x/actions"),
    ("POST", "/api/artifacts/x/shares"),
    ("DELETE", "/api/shares/x"),
    ("POST", "/api/render"),
    ("POST", "/api/check"),
    ("GET", "/api/transcripts"),
    ("GET", "/api/transcripts/a/b"),
    ("GET", "/no/such/page"),
];

/// Routes that need no token.
const PUBLIC: &[&str] = &["/healthz", "/readyz", "/embed.js", "/embed/0123", "/assets/page/main.js"];

#[tokio::test(flavor = "multi_thread")]
async fn every_route_is_guarded() -> Result<()> {
    let ui4a = Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }).await?;
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build()?;
    let send = |method: &str, path: &str| {
        client.request(method.parse::<Method>().expect("a method"), format!("{}{path}", ui4a.main))
    };
    let mut wrong = Vec::new();
    for (method, path) in ROUTES {
        let tries = [
            ("no token", send(method, path), 401),
            ("a wrong token", send(method, path).bearer_auth("0".repeat(64)), 401),
            ("a wrong cookie", send(method, path).header(COOKIE, "ui4a_1=x; ui4a=y"), 401),
            ("a foreign host", send(method, path).bearer_auth(&ui4a.token).header(HOST, "evil.example"), 421),
            ("a foreign port", send(method, path).bearer_auth(&ui4a.token).header(HOST, "127.0.0.1:1"), 421),
            (
                "a foreign origin",
                send(method, path).bearer_auth(&ui4a.token).header(ORIGIN, "https://evil.example"),
                403,
            ),
            ("a sandbox as origin", send(method, path).bearer_auth(&ui4a.token).header(ORIGIN, "null"), 403),
        ];
        for (what, request, expected) in tries {
            let status = request.send().await?.status().as_u16();
            if status != expected {
                wrong.push(format!("{method} {path} with {what}: {status}, not {expected}"));
            }
        }
    }
    for path in PUBLIC {
        let status = send("GET", path).send().await?.status().as_u16();
        if matches!(status, 401 | 403 | 421) {
            wrong.push(format!("{path} is public but answered {status}"));
        }
        let status = send("GET", path).header(HOST, "evil.example").send().await?.status().as_u16();
        if status != 421 {
            wrong.push(format!("{path} with a foreign host: {status}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sandbox_serves_frames_and_modules_to_its_own_hosts_alone() -> Result<()> {
    let ui4a = Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }).await?;
    let client = reqwest::Client::builder().no_proxy().build()?;
    let port = ui4a.sandbox.rsplit(':').next().unwrap_or_default();
    let base = format!("http://127.0.0.1:{port}");
    let get = |path: &str, host: String| client.get(format!("{base}{path}")).header(HOST, host);
    let label = format!("abc123.localhost:{port}");
    let frame = get("/frame/x", label.clone()).send().await?;
    assert_eq!(frame.status(), 200);
    let policy = frame.headers()["content-security-policy"].to_str()?.to_owned();
    assert!(policy.starts_with("sandbox allow-scripts allow-forms; default-src 'none'"), "{policy}");
    assert!(policy.contains(&format!("connect-src http://{label}/m/ blob: data:;")), "{policy}");
    assert_eq!(frame.headers()["connection-allowlist"], "(response-origin);webrtc=block");
    for host in [
        "evil.example".to_owned(),
        format!("localhost:{port}"),
        format!("127.0.0.1:{port}"),
        format!("a.b.localhost:{port}"),
    ] {
        assert_eq!(get("/frame/x", host.clone()).send().await?.status(), 421, "{host}");
    }
    for path in ["/", "/api/sessions", "/healthz", "/assets/page/main.js", "/m/", "/m/../frame/x/"] {
        let status = get(path, label.clone()).send().await?.status();
        assert!(
            matches!(status.as_u16(), 404 | 405 | 200) && (status != 200 || path.contains("frame")),
            "{path}: {status}"
        );
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_opens_the_door_once_and_leads_nowhere_else() -> Result<()> {
    let ui4a = Ui4a::start(Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() }).await?;
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build()?;
    let first = client.get(&ui4a.link).send().await?;
    assert_eq!(first.status(), 303);
    let cookie = first.headers()[SET_COOKIE].to_str()?.to_owned();
    let port = ui4a.main.rsplit(':').next().unwrap_or_default();
    assert!(
        cookie.starts_with(&format!("ui4a_{port}="))
            && cookie.contains("HttpOnly")
            && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
    let pair = cookie.split(';').next().unwrap_or_default().to_owned();
    assert_eq!(client.get(format!("{}/api/sessions", ui4a.main)).header(COOKIE, &pair).send().await?.status(), 200);
    assert_eq!(client.get(&ui4a.link).send().await?.status(), 401, "a link is spent when it was opened");
    for to in ["//evil.example", "https://evil.example", "/\\evil.example"] {
        let link = ui4a.link_to(to).await?;
        let answer = client.get(&link).send().await?;
        assert_eq!(answer.headers()[LOCATION], "/", "{to}");
    }
    let mode = std::fs::metadata(ui4a.home.path().join("data/token"))?.permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    Ok(())
}
