//! What a sandbox reports, in the positions of the model's source: errors, component stacks, layout, console.
//!
//! A report is evidence from a hostile place: everything is cut to a size, and a position that cannot be mapped becomes 0,
//! since compiled positions would mislead.

mod sight;
mod stack;

use serde::Deserialize;
use sight::Sight;
use ui4a_renderer::SourceMaps;
use ui4a_types::{Kind, Report, ReportError};

/// Longest message kept, in characters.
const MOST_MESSAGE: usize = 2000;
/// Most errors kept of one report.
const MOST_ERRORS: usize = 20;
/// Most findings about the layout kept of one report.
const MOST_SIGHTS: usize = 12;
/// Most lines of the console kept with a report, and their longest, in characters.
const MOST_LINES: usize = 50;
const MOST_LINE: usize = 500;

/// A report as the sandbox's page sends it.
#[derive(Deserialize)]
pub struct Incoming {
    #[serde(flatten)]
    report: Report,
    /// What it saw of the layout, in its own terms.
    #[serde(default)]
    sights: Vec<Sight>,
}

impl Incoming {
    /// The revision that it is about.
    pub fn rev(&self) -> u32 {
        self.report.rev
    }
}

/// The report as it is kept: positions mapped through the revision's source maps, texts cut.
pub fn to_source(incoming: Incoming, kind: Kind, source: &str, maps: &serde_json::Value) -> Report {
    let Incoming { mut report, sights } = incoming;
    let place = Place { kind, source, maps: SourceMaps::deserialize(maps).ok() };
    report.errors.truncate(MOST_ERRORS);
    for error in &mut report.errors {
        place.error(error);
    }
    report.console.drain(..report.console.len().saturating_sub(MOST_LINES));
    for line in &mut report.console {
        cut(&mut line.level, 8);
        cut(&mut line.text, MOST_LINE);
    }
    report.findings = sights.iter().take(MOST_SIGHTS).map(|sight| sight.diagnostic(&place)).collect();
    report
}

/// A revision's source, and how to find one's way back to it.
struct Place<'a> {
    kind: Kind,
    source: &'a str,
    maps: Option<SourceMaps>,
}

impl Place<'_> {
    fn error(&self, error: &mut ReportError) {
        let mapped = match error.cell.as_deref().filter(|cell| !cell.is_empty()) {
            Some(cell) => self.locate(cell, error.line, error.column),
            // A written document is its own source.
            None if self.kind != Kind::Tsx => self.holds(error.line).then_some((error.line, error.column)),
            None => None,
        };
        let mapped = mapped.or_else(|| self.resource(error));
        cut(&mut error.message, MOST_MESSAGE);
        if let Some(stack) = &mut error.component_stack {
            *stack = stack::to_source(stack, |cell, at| self.in_stack(cell, at));
        }
        // An error that names no place of its own was thrown in the innermost component that the module has.
        let innermost = || {
            let stack = error.component_stack.as_deref().filter(|_| error.phase == "render")?;
            stack::first_line(stack).map(|line| (line, 1))
        };
        (error.line, error.column) = mapped.or_else(innermost).unwrap_or((0, 0));
    }

    fn locate(&self, cell: &str, line: u32, column: u32) -> Option<(u32, u32)> {
        self.maps.as_ref()?.locate(cell, line, column)
    }

    /// The line of a component in a stack: of the position given, or where the component starts.
    fn in_stack(&self, cell: &str, at: Option<(u32, u32)>) -> Option<u32> {
        if let Some((line, column)) = at {
            return self.locate(cell, line, column).map(|(line, _)| line);
        }
        let start = self.maps.as_ref()?.range(cell)?.start;
        Some(ui4a_types::diagnostic::position(self.source, start).0)
    }

    fn holds(&self, line: u32) -> bool {
        line > 0 && self.source.lines().nth(line as usize - 1).is_some()
    }

    /// Where the address of a resource that did not load is written.
    fn resource(&self, error: &ReportError) -> Option<(u32, u32)> {
        if error.phase != "resource" {
            return None;
        }
        let address = error.message.rsplit_once(" could not load ")?.1.trim();
        let at = self.source.find(address).filter(|_| address.len() > 3)?;
        Some(ui4a_types::diagnostic::position(self.source, at))
    }
}

fn cut(text: &mut String, most: usize) {
    if let Some((at, _)) = text.char_indices().nth(most) {
        text.truncate(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn mapped(source: &str, kind: Kind, report: serde_json::Value) -> Report {
        let options = ui4a_renderer::Options { kind, kit: Default::default() };
        let compiled = ui4a_renderer::compile(source, &options);
        let maps = serde_json::to_value(&compiled.map).expect("serialises");
        let mut body = json!({"rev": 1, "frame": 1, "status": "rendered"});
        body.as_object_mut().expect("an object").extend(report.as_object().expect("an object").clone());
        to_source(serde_json::from_value(body).expect("a report"), kind, source, &maps)
    }

    #[test]
    fn what_cannot_be_mapped_has_no_position() {
        let error = json!({"phase": "handler", "message": "x", "cell": "Nowhere", "line": 3, "column": 4});
        let report = mapped("export default () => <p/>", Kind::Tsx, json!({"errors": [error]}));
        assert_eq!((report.errors[0].line, report.errors[0].column), (0, 0));
    }

    #[test]
    fn a_document_is_its_own_source() {
        let at = |line| json!({"errors": [{"phase": "handler", "message": "x", "line": line, "column": 4}]});
        assert_eq!(mapped("<p>\n<script>\nno()\n</script>", Kind::Html, at(3)).errors[0].line, 3);
        assert_eq!(mapped("<p>", Kind::Html, at(3)).errors[0].line, 0);
    }

    #[test]
    fn a_resource_is_found_by_its_address() {
        let error = json!({"phase": "resource", "message": "<img> could not load ./cat.png"});
        let report = mapped(
            "export default () => (\n  <img src=\"./cat.png\" alt=\"\" />\n)",
            Kind::Tsx,
            json!({"errors": [error]}),
        );
        assert_eq!((report.errors[0].line, report.errors[0].column), (2, 13));
    }

    #[test]
    fn a_render_error_without_a_stack_is_at_its_component() {
        let stack = "at li\nat Row (ui4a-cell:///Row)\nat App (ui4a-cell:///App)\nat Library";
        let error = json!({"phase": "render", "message": "x", "component_stack": stack});
        let source =
            "export default function App() {\n  return <Row />\n}\n\nfunction Row() {\n  throw \"no stack\"\n}\n";
        let report = mapped(source, Kind::Tsx, json!({"errors": [error]}));
        assert_eq!(
            report.errors[0].component_stack.as_deref(),
            Some("at li\nat Row (line 5)\nat App (line 1)\nat Library")
        );
        assert_eq!(report.errors[0].line, 5);
    }

    #[test]
    fn layout_is_a_diagnostic_at_the_text_it_is_about() {
        let source = "export default function App() {\n  return (\n    <div>\n      <p className=\"text-gray-300\">Pale words</p>\n    </div>\n  )\n}\n";
        let sight = json!({"code": "layout-low-contrast", "message": "“Pale words” is pale.", "tag": "p", "text": "Pale words", "classes": "text-gray-300", "component": "App", "cell": "App"});
        let report = mapped(source, Kind::Tsx, json!({"sights": [sight], "looked": true}));
        let found = &report.findings[0];
        assert_eq!((found.code.as_str(), found.line), ("layout-low-contrast", 4));
        assert_eq!(found.phase, ui4a_types::Phase::Layout);
        assert!(found.source_line.as_deref().unwrap_or_default().contains("Pale words"));
    }
}
