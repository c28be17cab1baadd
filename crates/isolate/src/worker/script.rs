//! One job in one JavaScript runtime.

use crate::wire::{Ask, Say};
use deno_core::{JsRuntime, PollEventLoopOptions, RuntimeOptions, v8};

/// Runs first: takes away what reaches out of the runtime.
const LOCK: &str = include_str!("lock.js");
/// Stand-ins for what packages expect around them, and the listing of names.
const NAMES: &str = include_str!("names.js");

/// A runtime that has run nothing of a job's.
pub struct Runtime(JsRuntime);

impl Runtime {
    /// A runtime with a heap of so many bytes.
    pub fn new(heap: usize) -> Self {
        let params = v8::CreateParams::default().heap_limits(0, heap);
        Self(JsRuntime::new(RuntimeOptions { create_params: Some(params), ..RuntimeOptions::default() }))
    }
}

/// Runs a job.
pub async fn answer(runtime: Runtime, ask: Ask, limit: usize) -> Say {
    let Runtime(mut runtime) = runtime;
    let run = match ask {
        Ask::Names { source, seconds } => {
            super::fence::cpu_seconds(seconds);
            names(&mut runtime, source)
        }
        Ask::Run { source, input, seconds } => {
            super::fence::cpu_seconds(seconds);
            script(&mut runtime, source, &input).await
        }
    };
    match run {
        Ok(json) if json.len() > limit => Say::Large,
        Ok(json) => Say::Done { json },
        Err(message) => Say::Threw { message: message.chars().take(2000).collect() },
    }
}

fn names(runtime: &mut JsRuntime, source: String) -> Result<String, String> {
    execute(runtime, "lock", LOCK.to_owned())?;
    execute(runtime, "names", NAMES.to_owned())?;
    // The line break ends a comment on the last line.
    execute(runtime, "bundle", format!("(__ui4a_names(function (module, exports, require) {{{source}\n}}))"))
        .and_then(|value| text(runtime, &value).ok_or_else(|| "no list of names".to_owned()))
}

async fn script(runtime: &mut JsRuntime, source: String, input: &serde_json::Value) -> Result<String, String> {
    execute(runtime, "lock", LOCK.to_owned())?;
    execute(runtime, "input", format!("globalThis.input = {input}; undefined"))?;
    let stringify = execute(runtime, "answer", "JSON.stringify".to_owned())?;
    let value = execute(runtime, "job", source)?;
    let promise = runtime.resolve(value);
    let value = runtime
        .with_event_loop_promise(Box::pin(promise), PollEventLoopOptions::default())
        .await
        .map_err(|error| error.to_string())?;
    json(runtime, &stringify, &value)
}

fn execute(runtime: &mut JsRuntime, name: &'static str, source: String) -> Result<v8::Global<v8::Value>, String> {
    runtime.execute_script(name, source).map_err(|error| error.to_string())
}

fn text(runtime: &mut JsRuntime, value: &v8::Global<v8::Value>) -> Option<String> {
    deno_core::scope!(scope, runtime);
    let value = v8::Local::new(scope, value);
    value.is_string().then(|| value.to_rust_string_lossy(scope))
}

fn json(
    runtime: &mut JsRuntime,
    stringify: &v8::Global<v8::Value>,
    value: &v8::Global<v8::Value>,
) -> Result<String, String> {
    deno_core::scope!(scope, runtime);
    let stringify = v8::Local::new(scope, stringify);
    let value = v8::Local::new(scope, value);
    let function = v8::Local::<v8::Function>::try_from(stringify).map_err(|error| error.to_string())?;
    let this = v8::undefined(scope).into();
    let text = function.call(scope, this, &[value]).ok_or("the answer is no JSON value")?;
    // A function or `undefined` has no JSON text.
    Ok(if text.is_string() { text.to_rust_string_lossy(scope) } else { "null".to_owned() })
}
