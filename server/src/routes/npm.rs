//! `/npm/{specifier}`: for people. What an import means, as a redirect to its module on a sandbox origin.

use crate::app::App;
use crate::problem::{Answer, Problem};
use axum::extract::{Path, RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use std::collections::BTreeMap;
use std::sync::Arc;
use ui4a_types::{ImportStatus, ImportUse};

/// The label of the sandbox origin that modules are looked at on.
const LABEL: &str = "npm";

/// `GET /npm/{specifier}`: resolves a specifier as an interface of its own would, with all that it exports.
pub async fn redirect(
    State(app): State<Arc<App>>,
    Path(specifier): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer<Response> {
    // An address has its query; a package's specifier has none.
    let specifier = match query {
        Some(query) if specifier.contains("://") => format!("{specifier}?{query}"),
        _ => specifier,
    };
    let used = ImportUse { names: vec!["*".to_owned()], ..ImportUse::default() };
    let uses = BTreeMap::from([(specifier.clone(), used)]);
    let resolution = app.proxy.resolve(&uses, None, &|_, _| {}).await;
    let import = resolution.imports.get(&specifier);
    if let Some(url) =
        import.filter(|import| import.state == ImportStatus::Ready).and_then(|import| import.url.as_ref())
    {
        let location = format!("{}{url}", app.origins.sandbox.replace("{label}", LABEL));
        let headers = [(header::LOCATION, location), (header::CACHE_CONTROL, "no-store".to_owned())];
        return Ok((StatusCode::FOUND, headers).into_response());
    }
    let message = import.and_then(|import| import.error.as_deref()).unwrap_or("it could not be resolved");
    let found = resolution.diagnostics.iter().find(|found| found.message == message);
    let detail = found.and_then(|found| found.help.clone()).unwrap_or_default();
    let title = format!("{message}.");
    let absent = import.is_some_and(|import| import.state == ImportStatus::Stub);
    let status = if absent { StatusCode::NOT_FOUND } else { StatusCode::UNPROCESSABLE_ENTITY };
    Err(Problem::new(status, "unresolved", title, detail))
}
