//! A chat server as real ones behave, and as bad ones do.

use anyhow::Result;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use futures::StreamExt;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use ui4a_engine::openai::Timeouts;
use ui4a_engine::{Backend, Chunk, EngineError, Message, OpenAi, Request, Role, ScorePrompt, StopReason};

type Reply = dyn Fn(&Value) -> Response + Send + Sync;
type Served = (Arc<Reply>, Arc<Mutex<Vec<Value>>>);

struct Server {
    url: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

/// A server that answers every request with what `reply` makes of it.
async fn serve(reply: impl Fn(&Value) -> Response + Send + Sync + 'static) -> Result<Server> {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let state: Served = (Arc::new(reply), asked.clone());
    let route = |State((reply, asked)): State<Served>, Json(body): Json<Value>| async move {
        let answer = reply(&body);
        asked.lock().expect("no test panics here").push(body);
        answer
    };
    let app = Router::new().route("/v1/chat/completions", post(route)).with_state(state);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(Server { url, asked })
}

fn events(text: &str) -> Response {
    ([(header::CONTENT_TYPE, "text/event-stream")], text.to_owned()).into_response()
}

fn request(text: &str) -> Request {
    Request { messages: vec![Message::new(Role::User, text)], ..Request::default() }
}

fn server(url: &str) -> Result<OpenAi> {
    let timeouts = Timeouts { connect: Duration::from_secs(2), idle: Duration::from_secs(2) };
    Ok(OpenAi::with_timeouts(url, Some("secret".to_owned()), "m", timeouts)?)
}

async fn answer(body: &'static str) -> Result<Vec<Result<Chunk, EngineError>>> {
    let running = serve(move |_| events(body)).await?;
    let stream = server(&running.url)?.generate(request("hi")).await?;
    Ok(stream.collect().await)
}

fn text(items: &[Result<Chunk, EngineError>]) -> String {
    items.iter().filter_map(|item| if let Ok(Chunk::Text(text)) = item { Some(text.as_str()) } else { None }).collect()
}

fn end(items: &[Result<Chunk, EngineError>]) -> Option<(StopReason, usize, usize)> {
    match items.last() {
        Some(Ok(Chunk::Done { stop, prompt_tokens, answer_tokens, .. })) => {
            Some((*stop, *prompt_tokens, *answer_tokens))
        }
        _ => None,
    }
}

#[tokio::test]
async fn an_answer_streams_with_reasoning_tools_and_usage() -> Result<()> {
    let items = answer(concat!(
        ": keep-alive\n\n",
        "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"reasoning\":\" so\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hé\"}}]}\n\n",
        ": keep-alive\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"llo\",\"tool_calls\":[{\"index\":1,\"id\":\"c1\",\"function\":",
        "{\"name\":\"render_ui\",\"arguments\":\"\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"{\\\"code\\\":\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":null},\"finish_reason\":\"length\"}]}\n\n",
        "data: {\"choices\":null,\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\n",
        "data: [DONE]\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"late\"}}]}\n\n",
    ))
    .await?;
    assert_eq!(text(&items), "Héllo");
    assert_eq!(end(&items), Some((StopReason::Length, 7, 3)));
    let reasoning: Vec<_> = items.iter().flatten().filter(|chunk| matches!(chunk, Chunk::Reasoning(_))).collect();
    assert_eq!(reasoning, [&Chunk::Reasoning("hm".into()), &Chunk::Reasoning(" so".into())]);
    let calls: Vec<_> = items.iter().flatten().filter(|chunk| matches!(chunk, Chunk::ToolCall { .. })).collect();
    let call = |id: Option<&str>, name: Option<&str>, arguments: &str| Chunk::ToolCall {
        index: 1,
        id: id.map(str::to_owned),
        name: name.map(str::to_owned),
        arguments: arguments.to_owned(),
    };
    assert_eq!(calls, [&call(Some("c1"), Some("render_ui"), ""), &call(None, None, "{\"code\":")]);
    Ok(())
}

#[tokio::test]
async fn a_stream_may_end_without_done_or_finish_reason() -> Result<()> {
    let items = answer("data: {\"choices\":[{\"delta\":{\"content\":\"all\"}}]}").await?;
    assert_eq!(text(&items), "all");
    assert_eq!(end(&items), Some((StopReason::Stop, 0, 0)));
    Ok(())
}

#[tokio::test]
async fn an_error_within_the_stream_ends_it_and_says_what_the_server_said() -> Result<()> {
    let items = answer(concat!(
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n",
        "data: {\"error\":{\"message\":\"out of memory\",\"code\":500}}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n",
    ))
    .await?;
    assert_eq!(text(&items), "a");
    let Some(Err(error)) = items.last() else { anyhow::bail!("no error: {items:?}") };
    assert!(error.to_string().contains("out of memory"), "{error}");
    Ok(())
}

#[tokio::test]
async fn what_is_no_stream_is_called_so() -> Result<()> {
    for body in ["<html>Welcome</html>", "", "data: oops\n\n"] {
        let running = serve(move |_| events(body)).await?;
        let items: Vec<_> = server(&running.url)?.generate(request("hi")).await?.collect().await;
        assert!(matches!(items.last(), Some(Err(EngineError::Protocol { .. }))), "{body:?}: {items:?}");
    }
    Ok(())
}

#[tokio::test]
async fn refusals_say_what_to_do() -> Result<()> {
    for (status, wanted) in [(401, "API key"), (404, "model's name"), (429, "Try again"), (500, "broken inside")] {
        let reply = move |_: &Value| {
            let body = json!({"error": {"message": "broken inside"}});
            (StatusCode::from_u16(status).unwrap_or_default(), Json(body)).into_response()
        };
        let running = serve(reply).await?;
        let Err(error) = server(&running.url)?.generate(request("hi")).await else { anyhow::bail!("status {status}") };
        assert!(error.to_string().contains(wanted), "{status}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn no_server_is_an_error_that_names_the_address() -> Result<()> {
    let free = TcpListener::bind("127.0.0.1:0").await?.local_addr()?;
    let url = format!("http://{free}/v1");
    let Err(error) = server(&url)?.generate(request("hi")).await else { anyhow::bail!("nobody listens there") };
    assert!(matches!(error, EngineError::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains(&url), "{error}");
    assert!(matches!(OpenAi::new("localhost:8000", None, "m"), Err(EngineError::BadAddress { .. })));
    Ok(())
}

/// A body that sends `first` and then nothing; the guard lives as long as the connection.
fn hang(first: &'static str, guard: CancellationToken) -> Response {
    let held = guard.drop_guard();
    let first = futures::stream::iter([Ok::<_, Infallible>(Bytes::from(first))]);
    let silence = futures::stream::pending().map(move |item| {
        let _ = &held;
        item
    });
    Body::from_stream(first.chain(silence)).into_response()
}

#[tokio::test]
async fn cancelling_ends_the_answer_and_closes_the_connection() -> Result<()> {
    let closed = CancellationToken::new();
    let guard = closed.clone();
    let running =
        serve(move |_| hang("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", guard.clone())).await?;
    let asked = request("hi");
    let cancel = asked.cancel.clone();
    let mut stream = server(&running.url)?.generate(asked).await?;
    assert!(matches!(stream.next().await, Some(Ok(Chunk::Text(_)))));
    cancel.cancel();
    let last = stream.next().await;
    assert!(matches!(last, Some(Ok(Chunk::Done { stop: StopReason::Cancelled, .. }))), "{last:?}");
    assert!(stream.next().await.is_none());
    drop(stream);
    tokio::time::timeout(Duration::from_secs(5), closed.cancelled()).await?;
    Ok(())
}

#[tokio::test]
async fn a_server_that_falls_silent_is_given_up() -> Result<()> {
    let running = serve(|_| hang(": hello\n\n", CancellationToken::new())).await?;
    let items: Vec<_> = server(&running.url)?.generate(request("hi")).await?.collect().await;
    assert!(matches!(items.last(), Some(Err(EngineError::Stalled { .. }))), "{items:?}");
    Ok(())
}

#[tokio::test]
async fn fields_that_a_server_does_not_know_are_left_out() -> Result<()> {
    let running = serve(|body| {
        for (field, advice) in
            [("stream_options", "stream_options"), ("max_tokens", "max_completion_tokens"), ("top_k", "top_k")]
        {
            if body.get(field).is_some() {
                let message = format!("Unsupported parameter: use '{advice}'");
                return (StatusCode::BAD_REQUEST, Json(json!({"error": {"message": message}}))).into_response();
            }
        }
        events("data: {\"choices\":[{\"delta\":{\"content\":\"ok\"},\"finish_reason\":\"stop\"}]}\n\n")
    })
    .await?;
    let asked = Request { top_k: 20, max_tokens: 55, ..request("hi") };
    let items: Vec<_> = server(&running.url)?.generate(asked).await?.collect().await;
    assert_eq!(text(&items), "ok");
    let asked = running.asked.lock().expect("no test panics here");
    assert_eq!(asked.last().map(|body| body["max_completion_tokens"].clone()), Some(json!(55)));
    Ok(())
}

#[tokio::test]
async fn labels_are_weighed_by_probability_or_by_answer_and_never_fail_on_nonsense() -> Result<()> {
    let labels = ["0", "1", "2", "3"].map(str::to_owned);
    let prompt = ScorePrompt { messages: vec![Message::new(Role::User, "A clock")], prefill: "model_id=L".to_owned() };
    let by_probability = json!({"choices": [{"logprobs": {"content": [{"token": "3", "logprob": -0.5,
        "top_logprobs": [{"token": "3", "logprob": -0.5}, {"token": "0", "logprob": -1.0}]}]}}]});
    let running = serve(move |_| Json(by_probability.clone()).into_response()).await?;
    let weights = server(&running.url)?.score(&prompt, &labels).await?;
    assert!((weights[3] + 0.5).abs() < 1e-4 && (weights[0] + 1.0).abs() < 1e-4, "{weights:?}");
    let running = serve(|body| match body.get("logprobs") {
        Some(_) => (StatusCode::BAD_REQUEST, "logprobs are not supported").into_response(),
        None => Json(json!({"choices": [{"message": {"content": "L2"}}]})).into_response(),
    })
    .await?;
    let weights = server(&running.url)?.score(&prompt, &labels).await?;
    assert!(weights[2] > weights[0] + 5.0, "{weights:?}");
    let running = serve(|_| "what?".into_response()).await?;
    let weights = server(&running.url)?.score(&prompt, &labels).await?;
    assert!(weights.iter().all(|weight| *weight == weights[0]), "{weights:?}");
    Ok(())
}
