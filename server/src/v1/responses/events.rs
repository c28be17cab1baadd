//! A response as a stream of events, numbered in order.

use super::Writing;
use crate::v1::ask::{Answering, Piece, Whole, counted};
use crate::v1::fault::{Api, Fault};
use crate::v1::sse;
use axum::response::Response;
use futures::StreamExt as _;
use serde_json::{Value, json};

/// Numbers events.
#[derive(Default)]
struct Numbered(u64);

impl Numbered {
    fn event(&mut self, kind: &str, mut fields: Value) -> sse::Item {
        fields["type"] = kind.into();
        fields["sequence_number"] = self.0.into();
        self.0 += 1;
        sse::named(&fields)
    }
}

/// The answer as events. It is kept when it is whole; a caller that goes away stops it.
pub fn stream(writing: Writing, mut answering: Answering) -> Response {
    let events = async_stream::stream! {
        let mut number = Numbered::default();
        let begun = writing.object("in_progress", json!([]));
        yield number.event("response.created", json!({"response": begun}));
        yield number.event("response.in_progress", json!({"response": begun}));
        let at = json!({"item_id": writing.message, "output_index": 0, "content_index": 0});
        let with = |name: &str, value: Value| {
            let mut fields = at.clone();
            fields[name] = value;
            fields
        };
        let item = writing.item("in_progress", json!([]));
        yield number.event("response.output_item.added", json!({"output_index": 0, "item": item}));
        yield number.event("response.content_part.added", with("part", Writing::part("")));
        let mut whole = Whole::default();
        while let Some(piece) = answering.pieces.next().await {
            match piece {
                Ok(Piece::Text(text)) => {
                    whole.text.push_str(&text);
                    let mut fields = with("delta", text.into());
                    fields["logprobs"] = json!([]);
                    yield number.event("response.output_text.delta", fields);
                }
                // Not asked for, and no part of the answer.
                Ok(Piece::Reasoning(text)) => whole.reasoning.push_str(&text),
                Ok(Piece::Weights(_)) => {}
                Ok(Piece::End { cut, read, written, cached }) => {
                    (whole.cut, whole.read, whole.written, whole.cached) = (cut, read, written, cached);
                }
                Err(error) => {
                    yield number.failed(&writing, &error.into());
                    return;
                }
            }
        }
        whole.read = if whole.read == 0 { answering.estimate } else { whole.read };
        whole.written = counted(whole.written, whole.text.len() + whole.reasoning.len());
        let response = match writing.finish(&whole, &answering.routed) {
            Ok(response) => response,
            Err(fault) => {
                yield number.failed(&writing, &fault);
                return;
            }
        };
        let mut fields = with("text", whole.text.clone().into());
        fields["logprobs"] = json!([]);
        yield number.event("response.output_text.done", fields);
        yield number.event("response.content_part.done", with("part", Writing::part(&whole.text)));
        yield number.event("response.output_item.done", json!({"output_index": 0, "item": response["output"][0]}));
        let last = if whole.cut { "response.incomplete" } else { "response.completed" };
        yield number.event(last, json!({"response": response}));
    };
    sse::answer(events)
}

impl Numbered {
    fn failed(&mut self, writing: &Writing, fault: &Fault) -> sse::Item {
        let mut response = writing.object("failed", json!([]));
        let error = &fault.body(Api::OpenAi)["error"];
        response["error"] = json!({"code": error["code"], "message": error["message"]});
        self.event("response.failed", json!({"response": response}))
    }
}
