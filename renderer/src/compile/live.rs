//! Compiles a module as it grows: what is over is parsed, lowered and printed once; a frame costs what is still open.
//!
//! Owns the seam between the two: which part of the completed text no longer changes, and the statements made of it.

use super::link::{Linker, Placed};
use super::lower::{self, Marks};
use super::{Compiled, LONGEST_SOURCE, Options, parse, report, syntax, whole};
use crate::complete::{Completer, Completion, Edit, Tail, to_source};
use crate::lines::Lines;
use crate::source_map::SourceMaps;
use crate::tailwind::sheet::Sheet;
use std::collections::BTreeMap;
use std::sync::Arc;
use swc_common::{GLOBALS, Globals, Spanned};
use swc_ecma_ast::ModuleItem;
use ui4a_types::frame::FrameState;
use ui4a_types::{Diagnostic, Frame, ImportUse};

/// A module that is being written.
pub(crate) struct Live {
    globals: Globals,
    inner: Inner,
}

/// What a frame of a growing module gives.
pub(crate) enum Outcome {
    /// Nothing that can be seen was added.
    Same,
    /// It cannot be shown; the last good frame stays.
    Failed(Vec<Diagnostic>),
    /// The patch on what was shown.
    Shown(Frame),
}

struct Inner {
    marks: Marks,
    linker: Option<Linker>,
    sheet: Sheet,
    lines: Lines,
    /// Up to where statements are over: an offset in the source and one in the completed text, with the edits between.
    settled: (usize, u32),
    edits: Vec<Edit>,
    /// A statement that is over does not parse: nothing after it will be shown.
    broken: bool,
    /// The last completion was shown.
    shown: bool,
    /// The completion of what is open, and the offset in the completed text where it begins.
    tail: (Completion, u32),
    told: Told,
}

/// What was last said about the module, and for which version of it.
#[derive(Default)]
struct Told {
    version: u64,
    /// The last line was mentioned, whose text may go on.
    last_line: bool,
    imports: Arc<BTreeMap<String, ImportUse>>,
    diagnostics: Arc<Vec<Diagnostic>>,
}

impl Live {
    pub fn new() -> Self {
        let globals = Globals::new();
        let marks = GLOBALS.set(&globals, Marks::new);
        let inner = Inner {
            marks,
            linker: None,
            sheet: Sheet::default(),
            lines: Lines::of(""),
            settled: (0, 0),
            edits: Vec::new(),
            broken: false,
            shown: false,
            tail: (Completion::default(), 0),
            told: Told { version: u64::MAX, ..Told::default() },
        };
        Self { globals, inner }
    }

    /// Compiles the module as if it were whole. What is remembered of it stays.
    pub fn whole(&mut self, source: &str, options: &Options) -> Compiled {
        let Self { globals, inner } = self;
        let known = inner.linker.as_ref().map_or(&[][..], Linker::items);
        GLOBALS.set(globals, || whole(source, options, inner.marks, known))
    }

    /// Makes the next frame of what there is, on top of `shown`, which is what the last one made.
    pub fn frame(&mut self, completer: &mut Completer, options: &Options, shown: &mut FrameState) -> Outcome {
        let Self { globals, inner } = self;
        GLOBALS.set(globals, || inner.frame(completer, options, shown))
    }

    /// Something else was shown since the last frame: the next one compares everything.
    pub fn compare_all(&mut self) {
        if let Some(linker) = &mut self.inner.linker {
            linker.compare_all();
        }
    }

    /// Whether the last frame was shown.
    pub fn is_shown(&self) -> bool {
        self.inner.shown
    }

    /// What is imported and what was found, as of the last frame that was shown.
    pub fn told(&mut self, source: &str) -> (Arc<BTreeMap<String, ImportUse>>, Arc<Vec<Diagnostic>>) {
        self.inner.tell(source);
        (Arc::clone(&self.inner.told.imports), Arc::clone(&self.inner.told.diagnostics))
    }

    /// From positions in the cells of the last frame to positions in the source.
    pub fn maps(&self, source: &str) -> SourceMaps {
        let maps = self.inner.linker.as_ref().map_or_else(BTreeMap::new, Linker::maps);
        SourceMaps::new(source, maps, |offset| self.inner.origin(source, offset) as u32)
    }
}

impl Inner {
    fn frame(&mut self, completer: &mut Completer, options: &Options, shown: &mut FrameState) -> Outcome {
        let length = completer.source().len();
        if length > LONGEST_SOURCE {
            return Outcome::Failed(vec![syntax::too_long(length, LONGEST_SOURCE)]);
        }
        let Some(tail) = completer.advance(self.settled.0, self.edits.len()) else { return Outcome::Same };
        self.shown = false;
        if self.broken {
            return Outcome::Failed(Vec::new());
        }
        let mut linker = match self.linker.take() {
            Some(linker) => linker,
            None => Linker::new(Arc::clone(&options.kit), self.marks, false),
        };
        let made = self.advance(&mut linker, tail);
        self.shown = made;
        let outcome = if made {
            linker.link();
            let mut frame = linker.patch(shown);
            let css = self.sheet.css();
            if shown.css != css {
                frame.restyle(&shown.css, css);
                shown.css = css.to_owned();
            }
            Outcome::Shown(frame)
        } else {
            Outcome::Failed(Vec::new())
        };
        self.linker = Some(linker);
        outcome
    }

    /// Takes in what is over now, and what is open. Whether both parse.
    fn advance(&mut self, linker: &mut Linker, tail: Tail) -> bool {
        let mut known = linker.retract();
        for placed in &known {
            self.sheet.remove(&placed.item.words);
        }
        let Tail { completion, settled_text, settled_edits } = tail;
        let base = self.settled.1;
        let (over, open) = completion.text.split_at_checked(settled_text).unwrap_or((&completion.text, ""));
        if !over.is_empty() {
            let Some(module) = parse::parse_at(over, base, true).module else {
                self.broken = true;
                return false;
            };
            for placed in place(module.body, over, base, &mut known, self.marks) {
                self.sheet.add(&placed.item.words);
                linker.settle(placed);
            }
            let already = self.edits.len();
            self.edits.extend(completion.edits.iter().take(settled_edits.saturating_sub(already)).cloned());
            self.settled = (completion.settled, base + settled_text as u32);
        }
        linker.guessed = completion.default_added.as_ref().is_some_and(|name| name != "App");
        let start = base + settled_text as u32;
        let parsed = parse::parse_at(open, start, true).module;
        let made = parsed.is_some();
        if let Some(module) = parsed {
            for placed in place(module.body, open, start, &mut known, self.marks) {
                self.sheet.add(&placed.item.words);
                linker.open(placed);
            }
            self.tail = (completion, base);
        }
        made
    }

    /// The source offset that an offset in the completed text stands for.
    fn origin(&self, source: &str, offset: u32) -> usize {
        let (completion, base) = &self.tail;
        let origin = if offset >= *base {
            completion.to_source((offset - base) as usize)
        } else {
            to_source(&self.edits, 0, self.settled.0, offset as usize)
        };
        origin.min(source.len())
    }

    fn tell(&mut self, source: &str) {
        self.lines.read(source);
        let Some(linker) = &self.linker else { return };
        if self.told.version == linker.version() && !self.told.last_line {
            return;
        }
        let lines = &self.lines;
        let imports = linker.imports().uses(|offset| lines.position(source, self.origin(source, offset)));
        let mut findings = linker.findings();
        findings.extend(linker.settled().iter().flat_map(Placed::findings));
        let diagnostics = report(source, lines, |offset| self.origin(source, offset), findings);
        let last = lines.count();
        self.told = Told {
            version: linker.version(),
            last_line: diagnostics.iter().any(|found| found.line == last),
            imports: if *self.told.imports == imports { Arc::clone(&self.told.imports) } else { Arc::new(imports) },
            diagnostics: Arc::new(diagnostics),
        };
    }
}

/// Lowers the statements of a piece of the text that begins at `base`; those among the `known` only find their places.
fn place(body: Vec<ModuleItem>, text: &str, base: u32, known: &mut Vec<Placed>, marks: Marks) -> Vec<Placed> {
    body.into_iter()
        .filter_map(|item| {
            let (start, end) = parse::range(item.span());
            let own = text.get(start.checked_sub(base)? as usize..end.checked_sub(base)? as usize)?;
            let placed = match known.iter().position(|placed| placed.item.text == own) {
                Some(at) => Placed { start, end, ..known.swap_remove(at) },
                None => Placed { start, end, item: Arc::new(lower::lower(item, own, marks)), printed: Vec::new() },
            };
            Some(placed)
        })
        .collect()
}
