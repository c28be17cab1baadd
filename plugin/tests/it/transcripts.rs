//! Session files: branches, sub-agents, half-written lines, hostile shapes.

use serde_json::json;
use std::io::Write as _;
use std::path::Path;
use ui4a_plugin::transcripts::{Transcript, list, read};

fn write(root: &Path, session: &str, lines: &[serde_json::Value], rest: &str) {
    let folder = root.join("-home-me-shop");
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut file = std::fs::File::create(folder.join(format!("{session}.jsonl"))).expect("a file");
    for line in lines {
        writeln!(file, "{line}").expect("writes");
    }
    write!(file, "{rest}").expect("writes");
}

fn message(role: &str, uuid: &str, parent: Option<&str>, content: serde_json::Value) -> serde_json::Value {
    json!({"type": role, "uuid": uuid, "parentUuid": parent, "cwd": "/home/me/shop", "message": {"role": role, "content": content}})
}

fn load(root: &Path, session: &str) -> Transcript {
    read(root, "-home-me-shop", session).expect("reads").expect("is there")
}

#[test]
fn a_session_is_read_with_its_interfaces() {
    let root = tempfile::tempdir().expect("a folder");
    let tool = json!([
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "Here it is."},
        {"type": "tool_use", "id": "t1", "name": "mcp__macaron__render_ui", "input": {"code": "export default function App(){}"}},
    ]);
    let result = json!([{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "ok"}], "is_error": true}]);
    let lines = [
        message("user", "1", None, json!("Show sales")),
        message("assistant", "2", Some("1"), tool),
        message("user", "3", Some("2"), result),
    ];
    write(root.path(), "abc", &lines, "{\"type\":\"assis");
    let transcript = load(root.path(), "abc");
    assert_eq!(transcript.title, "Show sales");
    let kinds: Vec<_> = transcript.items.iter().map(|item| item.kind).collect();
    assert_eq!(kinds, ["text", "thinking", "text", "artifact", "result"]);
    assert!(transcript.items[4].is_error);
    let listed = list(root.path());
    assert_eq!((listed.len(), listed[0].artifacts, listed[0].cwd.as_deref()), (1, 1, Some("/home/me/shop")));
}

#[test]
fn a_rewound_branch_and_sub_agents_are_left_out() {
    let root = tempfile::tempdir().expect("a folder");
    let mut aside = message("assistant", "9", Some("1"), json!([{"type": "text", "text": "sub-agent"}]));
    aside["isSidechain"] = json!(true);
    let lines = [
        message("user", "1", None, json!("first")),
        message("assistant", "2", Some("1"), json!([{"type": "text", "text": "taken back"}])),
        aside,
        message("user", "3", Some("1"), json!("second")),
        json!({"type": "custom-title", "customTitle": "Named"}),
        json!({"type": "custom-title", "customTitle": ""}),
        json!({"type": "ai-title", "aiTitle": "By AI"}),
    ];
    write(root.path(), "abc", &lines, "");
    let transcript = load(root.path(), "abc");
    let texts: Vec<_> = transcript.items.iter().filter_map(|item| item.text.as_deref()).collect();
    assert_eq!(texts, ["first", "second"]);
    assert_eq!(transcript.title, "By AI");
}

#[test]
fn hostile_files_and_names_do_no_harm() {
    let root = tempfile::tempdir().expect("a folder");
    let lines = [
        json!({"type": 5, "uuid": "a", "parentUuid": "b"}),
        json!({"type": "user", "uuid": "b", "parentUuid": "a", "message": {"content": {"x": 1}}}),
        json!({"type": "user", "uuid": "c", "parentUuid": "c", "message": {"content": [null, 1, {"type": "tool_use"}]}}),
    ];
    write(root.path(), "abc", &lines, "[1,2]\nnot json\n");
    assert_eq!(load(root.path(), "abc").items.len(), 1);
    for (project, session) in
        [("..", "abc"), ("-home-me-shop", "../-home-me-shop/abc"), ("", "abc"), ("a/b", "abc"), (".", "abc")]
    {
        assert_eq!(read(root.path(), project, session).expect("answers"), None, "{project} {session}");
    }
    assert!(list(Path::new("/nonexistent")).is_empty());
}
