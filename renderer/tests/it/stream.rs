//! A revision while it is written.

use crate::cells::{compiled, options};
use ui4a_renderer::{ArtifactStream, Options};
use ui4a_types::Kind;
use ui4a_types::frame::FrameState;

/// Streams a source by chunks of `size` characters and returns what the viewer ends with; every patch must fit.
fn stream(source: &str, size: usize, base: Option<FrameState>) -> (FrameState, Vec<Vec<String>>) {
    let mut shown = base.clone().unwrap_or_default();
    let mut stream = ArtifactStream::new(options(), base);
    let mut changed = Vec::new();
    let chars: Vec<char> = source.chars().collect();
    for chunk in chars.chunks(size) {
        stream.push(&chunk.iter().collect::<String>());
        let step = stream.frame(false);
        if let Some(patch) = &step.patch {
            assert!(shown.apply(patch), "a patch did not fit at {}", stream.source().len());
            changed.push(patch.cells.iter().map(|cell| cell.cell.clone()).collect());
        }
        assert_eq!(&shown, stream.state());
    }
    if let Some(patch) = stream.frame(true).patch {
        assert!(shown.apply(&patch));
    }
    (shown, changed)
}

#[test]
fn what_was_streamed_is_what_the_whole_compiles_to() {
    for source in [include_str!("fixtures/dashboard.tsx"), include_str!("fixtures/sample.tsx")] {
        for size in [1, 7, 40, 100_000] {
            assert_eq!(stream(source, size, None).0, compiled(source).state, "by {size}");
        }
    }
}

#[test]
fn finished_statements_are_not_sent_again() {
    let source = include_str!("fixtures/sample.tsx");
    let (_, changed) = stream(source, 10, None);
    let sent = |cell: &str| changed.iter().flatten().filter(|name| *name == cell).count();
    for cell in ["bump", "useMount", "useCounter", "Theme", "useCart", "clicks", "cache"] {
        assert!(sent(cell) <= 3, "{cell} was sent {} times", sent(cell));
    }
    let app = changed.iter().position(|cells| cells.iter().any(|cell| cell == "App")).expect("App is sent");
    let later: Vec<&String> = changed[app + 1..]
        .iter()
        .flatten()
        .filter(|cell| !matches!(cell.as_str(), "App" | "$default" | "$unfinished"))
        .collect();
    assert!(later.is_empty(), "{later:?} were sent while App was written");
    assert_eq!(changed.iter().flatten().filter(|name| name.starts_with("$effect")).count(), 1, "an effect runs once");
}

#[test]
fn something_is_shown_before_the_end_and_never_lost() {
    let source = include_str!("fixtures/dashboard.tsx");
    let mut stream = ArtifactStream::new(options(), None);
    let mut first = None;
    for (at, c) in source.char_indices() {
        stream.push(c.encode_utf8(&mut [0; 4]));
        let step = stream.frame(false);
        let shown = stream.state().cells.contains_key("$default");
        if shown && first.is_none() {
            first = Some(at);
        }
        assert!(first.is_none() || (step.ok && shown), "lost at {at}");
    }
    assert!(first.is_some_and(|at| at < source.len() / 2), "{first:?}");
}

#[test]
fn imports_are_known_as_soon_as_they_are_written() {
    let mut stream = ArtifactStream::new(options(), None);
    stream.push("import { LineChart } from 'rech");
    assert!(stream.frame(false).imports.is_empty());
    stream.push("arts';\nimport x");
    let imports = stream.frame(false).imports;
    assert_eq!(imports.keys().collect::<Vec<_>>(), ["recharts"]);
}

#[test]
fn a_component_that_is_still_to_come_is_empty_until_then() {
    let mut stream = ArtifactStream::new(options(), None);
    stream.push("export default function App() { return <main><Later a={1}/></main> }\nconst z = 1;\n");
    let step = stream.frame(false);
    assert!(step.diagnostics.is_empty(), "{:?}", step.diagnostics);
    let app = stream.state().cells["App"].clone();
    assert!(stream.state().cells["Later"].contains("()=>null"));
    stream.push("function Later() { return <p>here</p> }\n");
    stream.frame(true);
    assert_eq!(stream.state().cells["App"], app, "what uses it does not run again");
    assert!(stream.state().cells["Later"].contains("here"));
}

#[test]
fn a_revision_starts_from_the_one_before() {
    let first = compiled(include_str!("fixtures/dashboard.tsx")).state;
    let edited = include_str!("fixtures/dashboard.tsx").replace("Coffee shop", "Tea shop");
    let mut stream = ArtifactStream::new(options(), Some(first.clone()));
    stream.push(&edited);
    let patch = stream.frame(true).patch.expect("something changed");
    let cells: Vec<&str> = patch.cells.iter().map(|cell| cell.cell.as_str()).collect();
    assert_eq!(cells, ["Dashboard"], "only what changed is sent");
    assert!(patch.order.is_none());
    let mut shown = first;
    assert!(shown.apply(&patch));
    assert_eq!(&shown, stream.state());
}

#[test]
fn what_does_not_parse_keeps_the_last_good_frame() {
    let mut stream = ArtifactStream::new(options(), None);
    stream.push("export default function App() { return <p>good</p> }\n");
    stream.frame(false);
    let good = stream.state().clone();
    stream.push("const = ;;; ]]] }");
    for complete in [false, true] {
        let step = stream.frame(complete);
        assert!(step.ok);
        assert_eq!(stream.state(), &good);
    }
    assert_eq!(stream.frame(true).diagnostics[0].code, "syntax-error");
}

#[test]
fn other_kinds_are_patched_as_text() {
    let mut stream = ArtifactStream::new(Options { kind: Kind::Html, ..options() }, None);
    stream.push("<p class=\"p-4 text-sm rounded-lg\">Hel");
    let first = stream.frame(false).patch.expect("a frame");
    assert!(first.css.is_some());
    stream.push("lo</p><di");
    let next = stream.frame(false).patch.expect("a frame");
    assert_eq!(next.text.map(|patch| patch.insert).as_deref(), Some("lo</p>"));
    assert!(next.css.is_none());
}

#[test]
fn streams_can_move_between_threads() {
    fn assert_send<T: Send>() {}
    assert_send::<ArtifactStream>();
}
