//! Attributes written as in HTML: `class`, `stroke-width`, `style="…"`, `onclick="…"`.

use super::build::{container, expression};
use super::events::{namespaced, react_name};
use super::{Log, style};
use crate::compile::element::{attribute, is_handler, is_native, text};
use swc_ecma_ast::*;
use swc_ecma_visit::{VisitMut, VisitMutWith};
use ui4a_types::Severity;

pub(super) struct Attributes<'a> {
    pub log: &'a mut Log,
}

impl VisitMut for Attributes<'_> {
    fn visit_mut_jsx_opening_element(&mut self, node: &mut JSXOpeningElement) {
        node.visit_mut_children_with(self);
        // What a custom element calls its attributes is its own affair.
        let custom = matches!(&node.name, JSXElementName::Ident(name) if name.sym.contains('-'));
        if !custom {
            self.names(node);
        }
        for attribute in &mut node.attrs {
            let JSXAttrOrSpread::JSXAttr(attribute) = attribute else { continue };
            let JSXAttrName::Ident(name) = &attribute.name else { continue };
            match name.sym.as_str() {
                "style" => self.style(attribute),
                name if is_handler(name) => self.handler(attribute),
                _ => {}
            }
        }
    }
}

impl Attributes<'_> {
    /// Gives attributes React's names.
    fn names(&mut self, node: &mut JSXOpeningElement) {
        for at in 0..node.attrs.len() {
            let JSXAttrOrSpread::JSXAttr(given) = &node.attrs[at] else { continue };
            let (written, name) = match &given.name {
                JSXAttrName::Ident(name) => (name.sym.to_string(), react_name(&name.sym)),
                JSXAttrName::JSXNamespacedName(name) => {
                    (format!("{}:{}", name.ns.sym, name.name.sym), namespaced(&name.ns.sym, &name.name.sym))
                }
            };
            let Some(name) = name.filter(|name| attribute(node, name).is_none()) else { continue };
            // A component may well take `viewbox`; what nobody means otherwise is put right on components too.
            if !is_native(node)
                && !matches!(written.as_str(), "class" | "for")
                && !written.contains(['-', ':'])
                && !is_handler(&name)
            {
                continue;
            }
            let JSXAttrOrSpread::JSXAttr(given) = &mut node.attrs[at] else { continue };
            let span = match &given.name {
                JSXAttrName::Ident(name) => name.span,
                JSXAttrName::JSXNamespacedName(name) => name.span,
            };
            given.name = JSXAttrName::Ident(IdentName::new(name.as_str().into(), span));
            let message = format!("{written} is not a name that React knows; it is read as {name}");
            self.log.repaired("attribute", Severity::Hint, message, &format!("Write {name}"), span);
        }
    }

    fn style(&mut self, attribute: &mut JSXAttr) {
        let Some(object) = style::object(attribute) else { return };
        attribute.value = Some(container(object, attribute.span));
        let message = "style is text here; it is read as the object that React wants".to_owned();
        self.log.repaired("style", Severity::Hint, message, "Write style={{ color: \"red\" }}", attribute.span);
    }

    /// A handler that is written as text, as in HTML.
    fn handler(&mut self, attribute: &mut JSXAttr) {
        let Some(code) = text(attribute) else { return };
        let JSXAttrName::Ident(name) = &attribute.name else { return };
        let name = name.sym.clone();
        let code = code.trim().trim_start_matches("javascript:").trim();
        let is_name = !code.is_empty() && code.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
        let made = if is_name { code.to_owned() } else { format!("(event) => {{ {code}\n }}") };
        let Some(made) = expression(&made, attribute.span, &mut []) else { return };
        attribute.value = Some(container(made, attribute.span));
        let message = format!("{name} is text here; it is read as the function that React wants");
        let help =
            if is_name { format!("Write {name}={{{code}}}") } else { format!("Write {name}={{() => {{ … }}}}") };
        self.log.repaired("handler", Severity::Hint, message, &help, attribute.span);
    }
}
