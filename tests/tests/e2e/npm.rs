//! The server as a registry for npm itself, and a private registry behind it.

use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::Arc;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use ui4a_tests::server::command;
use ui4a_tests::{PATIENCE, Setup, Ui4a, eventually};

/// A project of its own, with a cache of npm's of its own.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Result<Self> {
        let folder = TempDir::new()?;
        std::fs::write(folder.path().join("package.json"), "{\"name\":\"project\",\"private\":true}")?;
        Ok(Self { folder })
    }

    /// Runs npm against a registry with a token.
    async fn npm(&self, registry: &str, token: &str, arguments: &[&str]) -> Result<Output> {
        let host = registry.trim_start_matches("http:");
        let output = Command::new("npm")
            .args(arguments)
            .args(["--registry", registry, &format!("--{host}:_authToken={token}")])
            .args(["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0", "--cache"])
            .arg(self.folder.path().join("cache"))
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        Ok(tokio::time::timeout(4 * PATIENCE, output).await.context("npm did not end")??)
    }

    fn version(&self, name: &str) -> Result<String> {
        let path = self.folder.path().join("node_modules").join(name).join("package.json");
        let text = std::fs::read(&path).with_context(|| format!("{name} is not installed"))?;
        let manifest: serde_json::Value = serde_json::from_slice(&text)?;
        Ok(manifest["version"].as_str().context("a version")?.to_owned())
    }
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn worked(output: &Output) -> Result<()> {
    ensure!(output.status.success(), "npm: {}", told(output));
    Ok(())
}

async fn serve(home: &Arc<TempDir>, env: &[(&str, &str)]) -> Result<Ui4a> {
    let env = env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let model_server = Some("http://127.0.0.1:9/v1".to_owned());
    Ui4a::start(Setup { home: Some(Arc::clone(home)), env, model_server, ..Setup::default() }).await
}

/// What npm fetched once through the server, it installs again with no network at all.
#[tokio::test(flavor = "multi_thread")]
async fn npm_installs_through_the_server_and_later_without_a_network() -> Result<()> {
    let home = Arc::new(TempDir::new()?);
    let first = Project::new()?;
    let wanted = ["install", "react-dom", "clsx@2", "@babel/runtime"];
    {
        let ui4a = serve(&home, &[]).await?;
        let registry = format!("{}/registry/", ui4a.main);
        worked(&first.npm(&registry, &ui4a.token, &wanted).await?)?;
        let refused = Project::new()?.npm(&registry, "0000", &wanted).await?;
        ensure!(!refused.status.success() && told(&refused).contains("E401"), "no token: {}", told(&refused));
        let read_only = first.npm(&registry, &ui4a.token, &["publish"]).await?;
        ensure!(!read_only.status.success(), "publishing is refused");
        ui4a.kill().await?;
    }
    let ui4a = serve(&home, &[("npm_config_registry", "http://127.0.0.1:9/")]).await?;
    let registry = format!("{}/registry/", ui4a.main);
    let second = Project::new()?;
    worked(&second.npm(&registry, &ui4a.token, &wanted).await?)?;
    for name in ["react-dom", "scheduler", "clsx", "@babel/runtime"] {
        assert_eq!(first.version(name)?, second.version(name)?, "{name}");
    }
    let unseen = Project::new()?.npm(&registry, &ui4a.token, &["install", "left-pad"]).await?;
    let said = told(&unseen);
    ensure!(!unseen.status.success() && said.contains("cannot be reached"), "npm shows what is wrong: {said}");
    Ok(())
}

/// A real private registry on loopback. It ends with the test.
struct Verdaccio {
    origin: String,
    _folder: TempDir,
    _child: Child,
}

impl Verdaccio {
    async fn start() -> Result<Self> {
        let program = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("verdaccio/node_modules/.bin/verdaccio");
        ensure!(program.exists(), "Verdaccio is not installed; run `make test`, or `npm ci` in tests/verdaccio");
        let folder = TempDir::new()?;
        let config = "storage: ./storage\nauth:\n  htpasswd:\n    file: ./htpasswd\npackages:\n  '**':\n    access: $authenticated\n    publish: $authenticated\nlog: {type: stdout, level: error}\nserver: {keepAliveTimeout: 5}\n";
        std::fs::write(folder.path().join("config.yaml"), config)?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let child = Command::new(program)
            .args(["--config", "config.yaml", "--listen", &format!("127.0.0.1:{port}")])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let origin = format!("http://127.0.0.1:{port}");
        let ping = format!("{origin}/-/ping");
        let client = reqwest::Client::builder().no_proxy().build()?;
        eventually("Verdaccio to answer", 2 * PATIENCE, || async {
            Ok(client.get(&ping).send().await.ok().filter(|answer| answer.status().is_success()).map(drop))
        })
        .await?;
        Ok(Self { origin, _folder: folder, _child: child })
    }

    /// Makes a user and returns the token.
    async fn token(&self) -> Result<String> {
        let user = serde_json::json!({"name": "ann", "password": "correct horse battery"});
        let client = reqwest::Client::builder().no_proxy().build()?;
        let answer = client.put(format!("{}/-/user/org.couchdb.user:ann", self.origin)).json(&user).send().await?;
        let answer: serde_json::Value = answer.json().await?;
        Ok(answer["token"].as_str().with_context(|| format!("a token: {answer}"))?.to_owned())
    }
}

/// `@private/lib` at 1.2.3.
async fn publish(verdaccio: &Verdaccio, token: &str) -> Result<()> {
    let project = Project::new()?;
    let manifest = "{\"name\":\"@private/lib\",\"version\":\"1.2.3\",\"type\":\"module\",\"exports\":\"./index.js\"}";
    std::fs::write(project.folder.path().join("package.json"), manifest)?;
    std::fs::write(project.folder.path().join("index.js"), "export const secret = 'forty-two';")?;
    worked(&project.npm(&format!("{}/", verdaccio.origin), token, &["publish"]).await?)
}

/// Resolves in a home of its own, with an `.npmrc` that says how the scope is reached.
async fn resolve(home: &Path, npmrc: &str) -> Result<(bool, String)> {
    let file = home.join("npmrc");
    std::fs::write(&file, npmrc)?;
    let mut command = command(home)?;
    command.args(["resolve", "@private/lib", "--json"]).env("npm_config_userconfig", &file);
    let output = tokio::time::timeout(4 * PATIENCE, command.output()).await.context("it did not end")??;
    Ok((output.status.success(), told(&output)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_scope_needs_its_token_and_a_wrong_one_is_said() -> Result<()> {
    let verdaccio = Verdaccio::start().await?;
    let token = verdaccio.token().await?;
    publish(&verdaccio, &token).await?;
    let host = verdaccio.origin.trim_start_matches("http:");
    let scope = format!("@private:registry={}/\n", verdaccio.origin);
    let home = Arc::new(TempDir::new()?);
    let (ready, said) = resolve(home.path(), &format!("{scope}{host}/:_authToken={token}\n")).await?;
    ensure!(ready && said.contains("\"1.2.3\""), "with its token: {said}");
    for (what, credentials) in
        [("a wrong token", format!("{host}/:_authToken=wrong0token\n")), ("no token", String::new())]
    {
        let other = TempDir::new()?;
        let (ready, said) = resolve(other.path(), &format!("{scope}{credentials}")).await?;
        ensure!(!ready && said.contains(".npmrc") && said.contains(&verdaccio.origin), "{what}: {said}");
        ensure!(!said.contains("wrong0token"), "{what} is not repeated: {said}");
    }
    // The server hands it on to npm, with the upstream's token and not the client's.
    let file = home.path().join("npmrc").display().to_string();
    std::fs::write(&file, format!("{scope}{host}/:_authToken={token}\n"))?;
    let ui4a = serve(&home, &[("npm_config_userconfig", file.as_str())]).await?;
    let project = Project::new()?;
    worked(&project.npm(&format!("{}/registry/", ui4a.main), &ui4a.token, &["install", "@private/lib"]).await?)?;
    assert_eq!(project.version("@private/lib")?, "1.2.3");
    Ok(())
}
