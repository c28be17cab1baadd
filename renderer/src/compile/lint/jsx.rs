//! Buttons that do nothing.

use super::{Finding, offsets};
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};
use ui4a_types::{Phase, Severity};

pub(super) fn check(item: &ModuleItem, start: u32, findings: &mut Vec<Finding>) {
    item.visit_with(&mut Buttons { start, findings, excused: 0 });
}

struct Buttons<'a> {
    start: u32,
    findings: &'a mut Vec<Finding>,
    /// Elements around this one that give a button its meaning (a form, a trigger).
    excused: u32,
}

fn name(element: &JSXOpeningElement) -> String {
    match &element.name {
        JSXElementName::Ident(ident) => ident.sym.to_string(),
        JSXElementName::JSXMemberExpr(member) => member.prop.sym.to_string(),
        JSXElementName::JSXNamespacedName(name) => name.name.sym.to_string(),
    }
}

fn gives_meaning(element: &JSXOpeningElement) -> bool {
    let name = name(element);
    name == "form"
        || ["Form", "Trigger", "Close", "Link", "Upload"].iter().any(|part| name.ends_with(part))
        || has(element, &["asChild", "render"])
}

/// Whether the element has one of these attributes, or a spread that may hold it.
fn has(element: &JSXOpeningElement, names: &[&str]) -> bool {
    element.attrs.iter().any(|attribute| match attribute {
        JSXAttrOrSpread::SpreadElement(_) => true,
        JSXAttrOrSpread::JSXAttr(attribute) => {
            matches!(&attribute.name, JSXAttrName::Ident(name) if names.contains(&name.sym.as_str()))
        }
    })
}

const MEANINGS: &[&str] = &[
    "onClick",
    "onPress",
    "onPointerDown",
    "onPointerUp",
    "onMouseDown",
    "onMouseUp",
    "onTouchStart",
    "onKeyDown",
    "onSubmit",
    "onDoubleClick",
    "onAction",
    "asChild",
    "disabled",
    "type",
    "form",
    "formAction",
    "href",
    "popoverTarget",
    "ref",
    "as",
];

impl Visit for Buttons<'_> {
    fn visit_jsx_element(&mut self, node: &JSXElement) {
        let opening = &node.opening;
        let is_button = matches!(name(opening).as_str(), "button" | "Button");
        let holds_input = node.children.iter().any(|child| {
            matches!(child, JSXElementChild::JSXElement(element) if matches!(name(&element.opening).as_str(), "a" | "Link" | "input"))
        });
        if is_button && self.excused == 0 && !has(opening, MEANINGS) && !holds_input {
            self.findings.push(
                Finding::new(
                    "button-without-handler",
                    Severity::Hint,
                    Phase::Type,
                    "This button does nothing when it is pressed",
                    offsets(opening.span, self.start),
                )
                .help("Give it onClick, or type=\"submit\" inside a form"),
            );
        }
        let excuses = gives_meaning(opening);
        self.excused += u32::from(excuses);
        node.visit_children_with(self);
        self.excused -= u32::from(excuses);
    }
}
