//! A page that shows what a test gives it, without a model: sources go in as a program's, reports come out of the log.

use crate::{Browser, Frame, PATIENCE, Page, Setup, Ui4a, eventually};
use anyhow::{Context as _, Result};
use reqwest::Method;
use serde_json::{Value, json};

/// A server, a browser and an open session.
pub struct Stage {
    /// The server.
    pub ui4a: Ui4a,
    /// The browser.
    pub browser: Browser,
    /// The session's id.
    pub session: String,
    /// The session's page.
    pub page: Page,
}

impl Stage {
    /// Opens an empty session.
    ///
    /// # Errors
    /// The server or the browser does not start.
    pub async fn open() -> Result<Self> {
        let setup = Setup { model_server: Some("http://127.0.0.1:9/v1".into()), ..Setup::default() };
        let ui4a = Ui4a::start(setup).await?;
        let browser = Browser::launch().await?;
        let session = ui4a.session().await?;
        let page = browser.open(&ui4a.link_to(&format!("/sessions/{session}")).await?).await?;
        Ok(Self { ui4a, browser, session, page })
    }

    /// Shows a source; answers the artifact's id. The same name again is the next revision.
    ///
    /// # Errors
    /// The server refuses.
    pub async fn show(&self, name: &str, kind: &str, source: &str) -> Result<String> {
        let body = json!({"id": name, "title": name, "kind": kind, "code": source});
        let path = format!("/api/sessions/{}/artifacts", self.session);
        let answer = self.ui4a.request(Method::POST, &path).json(&body).send().await?;
        let answer: Value = answer.error_for_status()?.json().await?;
        Ok(answer["artifact"].as_str().context("an artifact")?.to_owned())
    }

    /// All reports on an artifact, oldest first.
    ///
    /// # Errors
    /// The server fails.
    pub async fn reports(&self, artifact: &str) -> Result<Vec<Value>> {
        let log = self.ui4a.log(&self.session).await?;
        let fits = |event: &Value| event["type"] == "artifact.report" && event["artifact"] == artifact;
        Ok(log.into_iter().filter(fits).collect())
    }

    /// The first report that fits.
    ///
    /// # Errors
    /// None comes in time; what came is in the error.
    pub async fn report_where(&self, artifact: &str, what: &str, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        let fits = &fits;
        let found = eventually(what, PATIENCE, || async move {
            Ok(self.reports(artifact).await?.into_iter().find(|report| fits(report)))
        })
        .await;
        match found {
            Ok(report) => Ok(report),
            Err(error) => {
                let seen = serde_json::to_string_pretty(&self.reports(artifact).await?)?;
                Err(error.context(format!("the reports were {seen}")))
            }
        }
    }

    /// An error of a report whose message contains `message`.
    ///
    /// # Errors
    /// None comes in time.
    pub async fn error_with(&self, artifact: &str, message: &str) -> Result<Value> {
        let finds = |report: &Value| find_error(report, message).is_some();
        let report = self.report_where(artifact, &format!("an error with “{message}”"), finds).await?;
        find_error(&report, message).context("the error")
    }

    /// The report of a revision whose layout was looked at.
    ///
    /// # Errors
    /// None comes in time.
    pub async fn looked_at(&self, artifact: &str) -> Result<Value> {
        self.report_where(artifact, "a look at the layout", |report| report["looked"] == true).await
    }

    /// The newest frame that shows some text.
    ///
    /// # Errors
    /// None does in time.
    pub async fn frame_with(&self, text: &str) -> Result<Frame> {
        self.page.frame_where(&format!("document.body?.innerText.includes({})", json!(text))).await
    }
}

fn find_error(report: &Value, message: &str) -> Option<Value> {
    let errors = report["errors"].as_array()?;
    errors.iter().find(|error| error["message"].as_str().is_some_and(|text| text.contains(message))).cloned()
}
