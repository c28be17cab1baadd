//! Every prefix of every module of the corpus, through the whole renderer: nothing fails, nothing good is lost.

use crate::cells::options;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use ui4a_renderer::{ArtifactStream, Options, compile};
use ui4a_types::frame::FrameState;
use ui4a_types::{Kind, Phase, Severity};

/// The modules below `tests/fixtures/corpus` with this extension, by name.
pub fn corpus(extension: &str) -> Vec<(String, String)> {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/corpus").join(extension);
    let mut modules: Vec<_> = std::fs::read_dir(folder)
        .expect("the corpus")
        .map(|entry| entry.expect("a fixture").path())
        .map(|path| {
            let source = std::fs::read_to_string(&path).expect("UTF-8");
            (path.file_name().expect("a name").to_string_lossy().into_owned(), source)
        })
        .collect();
    modules.sort();
    modules
}

#[test]
fn the_corpus_is_large_enough() {
    assert!(corpus("tsx").len() >= 40, "TSX");
    assert!(corpus("html").len() >= 20, "HTML");
}

#[test]
fn every_prefix_of_every_tsx_module_keeps_a_good_frame() {
    every_prefix(Kind::Tsx, corpus("tsx"));
}

#[test]
fn every_prefix_of_every_html_document_is_a_beginning_of_the_next() {
    every_prefix(Kind::Html, corpus("html"));
}

/// Streams each module by single characters, on as many threads as there are processors, and says all that went wrong.
fn every_prefix(kind: Kind, modules: Vec<(String, String)>) {
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((name, source)) = modules.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = stream(kind, source);
                    failures.lock().expect("no panic").extend(found.map(|what| format!("{name} {what}")));
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no panic");
    assert!(failures.is_empty(), "{} modules:\n{}", failures.len(), failures.join("\n"));
}

/// The first thing that goes wrong in a source that arrives one character at a time.
fn stream(kind: Kind, source: &str) -> Option<String> {
    let options = Options { kind, ..options() };
    let mut stream = ArtifactStream::new(options.clone(), None);
    let (mut viewer, mut shown) = (FrameState::default(), false);
    for (at, character) in source.char_indices() {
        stream.push(character.encode_utf8(&mut [0; 4]));
        let end = at + character.len_utf8();
        let before = viewer.text.clone();
        let step = stream.frame(end == source.len());
        if let Some(patch) = &step.patch
            && !viewer.apply(patch)
        {
            return Some(format!("at {end}: a patch does not fit"));
        }
        let good = match kind {
            Kind::Tsx => viewer.cells.contains_key("$default"),
            // What is written of a document cannot be taken back.
            _ => viewer.text.starts_with(&before),
        };
        if (kind != Kind::Tsx || shown) && !good {
            return Some(format!("at {end}: what was shown is gone"));
        }
        shown |= good;
        if shown && !step.ok {
            return Some(format!("at {end}: neither this frame nor the last one is good"));
        }
        // What the kit exports is judged where the real kit is known: in Chromium.
        let error = step.diagnostics.iter().find(|found| {
            found.severity == Severity::Error && found.phase != Phase::Import && found.code != "unresolved-name"
        });
        if let Some(error) = error {
            return Some(format!("at {end}: {} {}", error.code, error.message));
        }
    }
    if viewer != compile(source, &options).state {
        return Some("streamed, it is not what it is as a whole".to_owned());
    }
    None
}
