//! A response as a stream of events, numbered in order.

use super::{Writing, item};
use crate::v1::ask::{Answering, Piece, Whole};
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
        let (mut whole, mut output) = (Whole::default(), Vec::new());
        // The item that is open: words, or a call by its number.
        let mut open: Option<Open> = None;
        while let Some(piece) = answering.pieces.next().await {
            match piece {
                Ok(piece @ (Piece::Text(_) | Piece::Call { .. })) => {
                    let same = matches!((&open, &piece), (Some(Open { call: None, .. }), Piece::Text(_)))
                        || matches!((&open, &piece), (Some(Open { call: Some(at), .. }), Piece::Call { index, .. }) if at == index);
                    whole.take(piece.clone());
                    if !same {
                        if let Some(open) = open.take() {
                            for event in number.close(&open, &whole, "completed", &mut output) {
                                yield event;
                            }
                        }
                        let (opened, events) = number.open(&writing, &whole, &piece, output.len());
                        open = Some(opened);
                        for event in events {
                            yield event;
                        }
                    }
                    if let Some(open) = &mut open
                        && let Some(event) = number.delta(open, piece)
                    {
                        yield event;
                    }
                }
                // Reasoning and weights were not asked for, and are no part of the answer.
                Ok(piece) => whole.take(piece),
                Err(error) => {
                    yield number.failed(&writing, &error.into());
                    return;
                }
            }
        }
        if open.is_none() {
            let (opened, events) = number.open(&writing, &whole, &Piece::Text(String::new()), output.len());
            open = Some(opened);
            for event in events {
                yield event;
            }
        }
        whole.count(answering.estimate);
        let mut ending = Vec::new();
        if let Some(open) = &open {
            let status = if whole.cut { "incomplete" } else { "completed" };
            ending = number.close(open, &whole, status, &mut output);
        }
        // Kept before the end is told.
        let response = match writing.finish(&whole, &answering.routed, output) {
            Ok(response) => response,
            Err(fault) => {
                yield number.failed(&writing, &fault);
                return;
            }
        };
        for event in ending {
            yield event;
        }
        let last = if whole.cut { "response.incomplete" } else { "response.completed" };
        yield number.event(last, json!({"response": response}));
    };
    sse::answer(events)
}

/// An item that is being written.
struct Open {
    item: Value,
    /// The answer's call that it is; words otherwise.
    call: Option<usize>,
    at: Value,
    text: String,
}

impl Numbered {
    /// Begins an item with its first piece, which `whole` holds already.
    fn open(&mut self, writing: &Writing, whole: &Whole, piece: &Piece, index: usize) -> (Open, Vec<sse::Item>) {
        let call = if let Piece::Call { index, .. } = piece { Some(*index) } else { None };
        let item = match call.and_then(|call| whole.calls.get(call)) {
            Some(call) => {
                let mut item = item::call(call);
                (item["arguments"], item["status"]) = ("".into(), "in_progress".into());
                item
            }
            None if index == 0 => writing.item("in_progress", json!([])),
            None => {
                let mut item = writing.item("in_progress", json!([]));
                item["id"] = crate::v1::id("msg_").into();
                item
            }
        };
        let mut at = json!({"item_id": item["id"], "output_index": index});
        let mut events = vec![self.event("response.output_item.added", json!({"output_index": index, "item": item}))];
        if call.is_none() {
            at["content_index"] = 0.into();
            events.push(self.event("response.content_part.added", with(&at, "part", Writing::part(""))));
        }
        (Open { item, call, at, text: String::new() }, events)
    }

    fn delta(&mut self, open: &mut Open, piece: Piece) -> Option<sse::Item> {
        let (kind, text) = match piece {
            Piece::Text(text) => ("response.output_text.delta", text),
            Piece::Call { arguments, .. } => ("response.function_call_arguments.delta", arguments),
            _ => return None,
        };
        if text.is_empty() {
            return None;
        }
        open.text.push_str(&text);
        let mut fields = with(&open.at, "delta", text.into());
        if open.call.is_none() {
            fields["logprobs"] = json!([]);
        }
        Some(self.event(kind, fields))
    }

    /// Ends an item, and adds it to the output.
    fn close(&mut self, open: &Open, whole: &Whole, status: &str, output: &mut Vec<Value>) -> Vec<sse::Item> {
        let mut item = open.item.clone();
        item["status"] = status.into();
        let mut events = Vec::new();
        if let Some(call) = open.call.and_then(|call| whole.calls.get(call)) {
            item["arguments"] = call.arguments.as_str().into();
            let mut fields = with(&open.at, "arguments", call.arguments.as_str().into());
            fields["name"] = call.name.as_str().into();
            events.push(self.event("response.function_call_arguments.done", fields));
        } else {
            let part = Writing::part(&open.text);
            item["content"] = json!([part]);
            let mut fields = with(&open.at, "text", open.text.as_str().into());
            fields["logprobs"] = json!([]);
            events.push(self.event("response.output_text.done", fields));
            events.push(self.event("response.content_part.done", with(&open.at, "part", part)));
        }
        let fields = json!({"output_index": open.at["output_index"], "item": item});
        events.push(self.event("response.output_item.done", fields));
        output.push(item);
        events
    }

    fn failed(&mut self, writing: &Writing, fault: &Fault) -> sse::Item {
        let mut response = writing.object("failed", json!([]));
        let error = &fault.body(Api::OpenAi)["error"];
        response["error"] = json!({"code": error["code"], "message": error["message"]});
        self.event("response.failed", json!({"response": response}))
    }
}

fn with(at: &Value, name: &str, value: Value) -> Value {
    let mut fields = at.clone();
    fields[name] = value;
    fields
}
