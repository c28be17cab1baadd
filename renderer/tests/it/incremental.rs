//! A module compiled as it grows is what each of its prefixes compiles to.

use crate::cells::options;
use crate::complete::corpus;
use ui4a_renderer::ArtifactStream;
use ui4a_types::frame::FrameState;

/// A frame without the list of unfinished components: what was once found whole stays so, whatever comes after it.
fn of_the_source(state: &FrameState) -> FrameState {
    let mut state = state.clone();
    state.cells.remove("$unfinished");
    state
}

/// Grows a source by `size` bytes at a time; after each step everything that can be seen is what the prefix gives by
/// itself, and the patches add up to it.
fn grows(name: &str, source: &str, size: usize) {
    let mut stream = ArtifactStream::new(options(), None);
    let mut shown = stream.state().clone();
    let (mut at, mut next) = (0, size);
    while at < source.len() {
        let mut end = next.min(source.len());
        while !source.is_char_boundary(end) {
            end += 1;
        }
        next = end + size;
        stream.push(&source[at..end]);
        at = end;
        let step = stream.frame(false);
        if let Some(patch) = &step.patch {
            assert!(shown.apply(patch), "{name} at {at}: a patch does not fit");
        }
        let mut alone = ArtifactStream::new(options(), None);
        alone.push(&source[..at]);
        let whole = alone.frame(false);
        if whole.patch.is_none() {
            // Alone it shows nothing; here the last good frame stays.
            continue;
        }
        assert_eq!(&shown, stream.state(), "{name} at {at}");
        assert_eq!(of_the_source(stream.state()), of_the_source(alone.state()), "{name} at {at}");
        assert_eq!(step.imports, whole.imports, "{name} at {at}");
        assert_eq!(step.diagnostics, whole.diagnostics, "{name} at {at}");
        // Where nothing that shows was added, closers stay where they were.
        if at % 101 < size && step.patch.is_some() {
            assert_eq!(stream.maps(), alone.maps(), "{name} at {at}");
        }
    }
    let step = stream.frame(true);
    if let Some(patch) = &step.patch {
        assert!(shown.apply(patch));
    }
    let compiled = ui4a_renderer::compile(source, &options());
    assert_eq!(shown, compiled.state, "{name} as a whole");
    assert_eq!((&*step.imports, &*step.diagnostics), (&compiled.imports, &compiled.diagnostics), "{name} as a whole");
    assert_eq!(stream.maps(), compiled.map, "{name} as a whole");
}

#[test]
fn every_prefix_of_the_corpus_is_what_it_compiles_to() {
    let mut modules = corpus();
    modules.push(("dashboard.tsx".into(), include_str!("fixtures/dashboard.tsx").into()));
    modules.push(("sample.tsx".into(), include_str!("fixtures/sample.tsx").into()));
    for (name, source) in modules {
        // Each prefix is compiled alone as well, which takes the square of the length.
        if source.len() < 1_200 {
            grows(&name, &source, 1);
        }
        grows(&name, &source, if source.len() < 3_000 { 7 } else { 31 });
    }
}

#[test]
fn what_is_declared_late_twice_or_in_a_circle_is_linked_like_any_other() {
    let source = "import { useState as use1 } from 'react';\n\
        const first = later() + second;\nconst second = first ? ping(1) : 0;\n\
        function ping(n) { return n ? pong(n - 1) : use1 }\nfunction pong(n) { return ping(n) }\n\
        function useA() { return useB() }\nfunction useB() { return useA() }\n\
        export default function App() { const a = useA(); const [b] = useState(first); return <main><Late>{a}{b}{money}</Late><Button/></main> }\n\
        const Late = memo(({ children }) => { useB(); return <p className=\"p-4\">{children}</p> });\n\
        console.log(first);\nconsole.log(first);\n\
        function later() { return 1 }\nconst money = 1;\nfunction later() { return 2 }\nlet money = (n) => n;\n\
        function Button() { return <button onClick={() => Late()}>x</button> }\n\
        import { Stack } from '$ui4a/ui';\nconst lazy = () => import('three');\nfunction Use() { return <Stack>{Math.max(1)}</Stack> }\n";
    for size in [1, 3, 40] {
        grows("late", source, size);
    }
}

#[test]
fn what_was_compiled_as_whole_may_still_go_on() {
    let source = include_str!("fixtures/sample.tsx");
    let mut stream = ArtifactStream::new(options(), None);
    let mut shown = stream.state().clone();
    for (at, piece) in source.as_bytes().chunks(50).enumerate() {
        stream.push(std::str::from_utf8(piece).expect("ASCII"));
        for complete in [false, at % 3 == 0, false] {
            if let Some(patch) = stream.frame(complete).patch {
                assert!(shown.apply(&patch));
            }
            assert_eq!(&shown, stream.state());
        }
    }
    stream.frame(true);
    assert_eq!(stream.state(), &ui4a_renderer::compile(source, &options()).state);
}
