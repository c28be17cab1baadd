//! The log: numbered without gaps, kept over a restart, an action once for each id.

use serde_json::json;
use ui4a_store::db::{ApiKey, Appended, Artifact, Revision, Share, StoredResponse};
use ui4a_store::{Db, StoreError};
use ui4a_types::{Action, Diagnostic, Event, Kind, Lock, Phase, Severity, Specialist};

fn delta(text: &str) -> Event {
    Event::TextDelta { turn: "t".into(), delta: text.into() }
}

#[test]
fn events_are_numbered_and_survive_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ui4a.db");
    {
        let db = Db::open(&path).expect("opens");
        db.create_session("s", "One").expect("a session");
        for text in ["a", "b", "c"] {
            db.append("s", delta(text)).expect("appends");
        }
        assert!(db.append("nobody", delta("x")).is_err(), "an unknown session is refused");
    }
    let db = Db::open(&path).expect("opens again");
    let events = db.events("s", 1, 10).expect("reads");
    assert_eq!(events.iter().map(|event| event.seq).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(events[1].event, delta("c"));
    assert_eq!(db.session("s").expect("reads").map(|session| session.head), Some(3));
}

#[test]
fn the_same_action_twice_is_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ui4a.db")).expect("opens");
    db.create_session("s", "").expect("a session");
    let action: Action = serde_json::from_value(
        json!({"id": "8b1c3a52-4a5e-4c3c-9d7e-1f2a3b4c5d6e", "artifact": "a", "kind": "message", "text": "Pro"}),
    )
    .expect("an action");
    let Appended::New(event) = db.append_action("s", &action).expect("appends") else { panic!("it is new") };
    assert_eq!(db.append_action("s", &action).expect("answers"), Appended::Known(event.seq));
    let elsewhere = Action { artifact: "b".into(), ..action.clone() };
    assert!(matches!(db.append_action("s", &elsewhere), Err(StoreError::Taken(_))), "its id is another's");
    assert!(db.actions("a", u64::MAX).expect("reads").is_empty());
    assert_eq!(db.waiting_actions("s").expect("reads").len(), 1);
    db.handle_action(&action.id).expect("marks");
    assert_eq!(db.waiting_actions("s").expect("reads").len(), 0);
    assert_eq!(db.actions("a", 0).expect("reads").len(), 1);
}

#[test]
fn revisions_state_and_shares_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ui4a.db")).expect("opens");
    db.create_session("s", "").expect("a session");
    let artifact = Artifact {
        id: "a1".into(),
        session: "s".into(),
        name: "app".into(),
        title: "App".into(),
        kind: Kind::Html,
        owner: Specialist::L3,
    };
    db.put_artifact(&artifact).expect("stores");
    assert_eq!(db.artifact_named("s", "app").expect("reads").as_ref(), Some(&artifact));
    let revision = |rev| Revision {
        rev,
        turn: "t".into(),
        source: format!("<p>{rev}"),
        compiled: Default::default(),
        maps: json!({}),
        imports: Default::default(),
        lock: Lock::default(),
        diagnostics: vec![],
        report: None,
        frame: 1,
        closed: true,
        truncated: false,
    };
    db.put_revision("a1", &revision(1)).expect("stores");
    db.put_revision("a1", &revision(2)).expect("stores");
    assert_eq!(db.revision("a1", None).expect("reads").map(|found| found.source), Some("<p>2".into()));
    assert_eq!(db.revision("a1", Some(1)).expect("reads"), Some(revision(1)));
    db.retract("a1", 2).expect("retracts");
    assert_eq!(db.revision("a1", None).expect("reads").map(|found| found.rev), Some(1));
    let found = [Diagnostic::new("type-other", Severity::Warning, Phase::Type, "x")];
    assert_eq!(db.add_diagnostics("a1", 1, &found).expect("adds"), Some(found.to_vec()));
    assert_eq!(db.add_diagnostics("a1", 1, &found).expect("adds").map(|all| all.len()), Some(1), "once");
    assert_eq!(db.add_diagnostics("a1", 2, &found).expect("answers"), None, "there is no such revision");
    assert_eq!(db.revision("a1", None).expect("reads").map(|found| found.diagnostics), Some(found.to_vec()));
    db.set_state("a1", "count", &json!(3)).expect("keeps");
    assert_eq!(db.state("a1").expect("reads").get("count"), Some(&json!(3)));
    let share = Share { capability: "c".into(), artifact: "a1".into(), parents: vec!["https://example.net".into()] };
    db.put_share(&share).expect("stores");
    assert_eq!(db.share("c").expect("reads"), Some(share));
    assert!(db.revoke("c").expect("revokes"));
    assert_eq!(db.share("c").expect("reads"), None);
}

#[test]
fn a_newer_database_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ui4a.db");
    drop(Db::open(&path).expect("opens"));
    rusqlite::Connection::open(&path).and_then(|raw| raw.execute_batch("PRAGMA user_version = 99")).expect("ages");
    assert!(matches!(Db::open(&path), Err(StoreError::Newer { found: 99, .. })));
}

#[test]
fn responses_are_kept_over_a_restart_and_forgotten_when_asked() {
    const MOST: u64 = 1 << 20;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ui4a.db");
    let stored = |id: &str, previous: Option<&str>| StoredResponse {
        id: id.into(),
        owner: String::new(),
        previous: previous.map(str::to_owned),
        input: json!([{"role": "user"}]),
        response: json!({"id": id, "temperature": 0.1}),
    };
    {
        let db = Db::open(&path).expect("opens");
        db.put_response(&stored("a", None), MOST).expect("is stored");
        db.put_response(&stored("b", Some("a")), MOST).expect("is stored");
        assert!(db.put_response(&stored("b", None), MOST).is_err(), "an id is given once");
    }
    let db = Db::open(&path).expect("opens again");
    assert_eq!(db.response("", "b").expect("reads"), Some(stored("b", Some("a"))));
    assert!(db.remove_response("", "a").expect("removes"));
    assert!(!db.remove_response("", "a").expect("removes"), "it is gone");
    assert_eq!(db.response("", "a").expect("reads"), None);
}

#[test]
fn a_key_finds_what_it_was_given_and_loses_no_room_to_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = Db::open(&folder.path().join("ui4a.db")).expect("opens");
    let key = |name: &str| ApiKey { name: name.into(), most_bytes: 1_000, most_running: 2, created: String::new() };
    assert!(db.add_key(&[1; 32], &key("ada")).expect("adds") && db.add_key(&[2; 32], &key("bob")).expect("adds"));
    assert!(!db.add_key(&[3; 32], &key("ada")).expect("answers"), "a name is given once");
    assert_eq!(db.key(&[2; 32]).expect("reads").map(|key| (key.name, key.most_running)), Some(("bob".into(), 2)));
    assert_eq!(db.key(&[3; 32]).expect("reads"), None);

    let put = |owner: &str, id: &str| {
        let response = json!("x".repeat(400));
        let (id, owner) = (id.to_owned(), owner.to_owned());
        db.put_response(&StoredResponse { id, owner, previous: None, input: json!([]), response }, 1_000)
            .expect("stores");
    };
    put("ada", "a1");
    for id in ["b1", "b2", "b3"] {
        put("bob", id);
    }
    let there = |owner: &str, id: &str| db.response(owner, id).expect("reads").is_some();
    assert!(there("ada", "a1") && there("bob", "b3"));
    assert!(!there("bob", "b1"), "more than its bytes");
    assert!(!there("bob", "a1") && !there("", "a1"), "another's");
    assert!(!db.remove_response("bob", "a1").expect("answers"));

    let kept: Vec<_> = db.keys().expect("lists").into_iter().map(|(key, bytes)| (key.name, bytes)).collect();
    assert_eq!(kept, [("ada".to_owned(), 404), ("bob".to_owned(), 808)]);
    assert!(db.remove_key("ada").expect("removes") && !db.remove_key("ada").expect("answers"));
    assert!(!there("ada", "a1") && db.key(&[1; 32]).expect("reads").is_none());
}

#[test]
fn who_answered_is_kept_and_two_who_said_the_same_leave_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ui4a.db");
    let (a, b) = ([1; 16], [2; 16]);
    {
        let db = Db::open(&path).expect("opens");
        db.put_answer(&[a, b], Specialist::L3).expect("stores");
        db.put_answer(&[b], Specialist::L0).expect("stores");
        db.put_answer(&[a], Specialist::L3).expect("stores again");
        db.put_summary(&a, "short", 7).expect("stores");
        db.put_summary(&a, "other", 9).expect("is too late");
    }
    let db = Db::open(&path).expect("opens again");
    assert_eq!(db.answer_owner(&a).expect("reads"), Some(Specialist::L3));
    assert_eq!(db.answer_owner(&b).expect("reads"), None);
    assert_eq!(db.summary(&a).expect("reads").as_deref(), Some("short"));
    let told: Vec<u64> = (0..2).map(|_| db.take_summary_tokens(&a).expect("reads")).collect();
    assert_eq!(told, [7, 0], "tokens are told once");
}
