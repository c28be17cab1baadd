//! Handlers of the wrong shape: called instead of handed over, written for a value where an event comes, or the other way.
//!
//! The document's own controls give their handlers an event, components that follow Radix give `onValueChange` a value. The
//! kit's `onChange` looks at its handler and gives what that reads; that is only told here.

use super::Log;
use super::build::{container, expression};
use crate::compile::element::{self, attribute, attribute_name, bare, is_handler, is_native, tag, text};
use crate::compile::locals::{Initial, Locals, Takes, calls_for_effect};
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitMut, VisitMutWith, VisitWith};
use ui4a_types::Severity;

pub(super) struct Handlers<'a> {
    pub log: &'a mut Log,
    pub locals: &'a Locals,
}

/// Components of the kit whose `onChange` is about a value.
const VALUED: &[&str] = &[
    "Select",
    "NativeSelect",
    "Combobox",
    "RadioGroup",
    "Tabs",
    "Slider",
    "TickSlider",
    "Switch",
    "Checkbox",
    "SegmentedControl",
];

/// Attributes of components that are called with a value.
const GIVES_VALUE: &[&str] = &["onValueChange", "onCheckedChange", "onTabChange", "onDateChange", "onOpenChange"];

/// What a handler that reads an event is called with where there is only a value.
const AS_EVENT: &str = "($value) => $handler({ type: \"change\", target: { value: $value, checked: $value, name: $name }, \
                        currentTarget: { value: $value, checked: $value, name: $name }, preventDefault() {}, stopPropagation() {} })";

/// Whether a statement has handlers that have to be looked at.
pub(super) fn are_doubtful(item: &ModuleItem) -> bool {
    struct Doubtful(bool);
    impl Visit for Doubtful {
        fn visit_jsx_attr(&mut self, node: &JSXAttr) {
            let name = attribute_name(node);
            let presses = matches!(name, "onClick" | "onSubmit" | "onMouseEnter" | "onMouseLeave" | "onKeyDown");
            let is_call = || matches!(element::expression(node).map(bare), Some(Expr::Call(_)));
            self.0 |= is_handler(name) && (!presses || is_call());
            node.visit_children_with(self);
        }
    }
    let mut doubtful = Doubtful(false);
    item.visit_with(&mut doubtful);
    doubtful.0
}

impl VisitMut for Handlers<'_> {
    fn visit_mut_jsx_opening_element(&mut self, node: &mut JSXOpeningElement) {
        node.visit_mut_children_with(self);
        let place = Place {
            tag: tag(node).to_owned(),
            native: is_native(node),
            kind: attribute(node, "type").and_then(text).unwrap_or_default(),
            name: attribute(node, "name").and_then(text).unwrap_or_default(),
            has: ["onClick", "onChange", "onInput"]
                .into_iter()
                .filter(|name| attribute(node, name).is_some())
                .collect(),
        };
        for attribute in &mut node.attrs {
            if let JSXAttrOrSpread::JSXAttr(attribute) = attribute {
                self.attribute(attribute, &place);
            }
        }
    }
}

/// The element that a handler stands on.
struct Place {
    tag: String,
    native: bool,
    kind: String,
    name: String,
    has: Vec<&'static str>,
}

impl Place {
    fn is_field(&self) -> bool {
        // Of a file field nobody can tell whether the list or the first file is meant.
        self.native && matches!(self.tag.as_str(), "input" | "textarea" | "select") && self.kind != "file"
    }

    /// Where the event has what the user entered.
    fn entered(&self, initial: Option<Initial>) -> &'static str {
        match self.kind.as_str() {
            "checkbox" => "$event.target.checked",
            "radio" if initial == Some(Initial::Boolean) => "$event.target.checked",
            "number" | "range" if initial == Some(Initial::Number) => "Number($event.target.value)",
            _ => "$event.target.value",
        }
    }
}

impl Handlers<'_> {
    fn attribute(&mut self, attribute: &mut JSXAttr, place: &Place) {
        let JSXAttrName::Ident(name) = &attribute.name else { return };
        let name = name.sym.to_string();
        if !is_handler(&name) {
            return;
        }
        let Some(handler) = value_of(attribute) else { return };
        let span = attribute.span;
        if let Expr::Call(call) = bare(&handler)
            && calls_for_effect(call, self.locals)
        {
            let made = expression("() => $handler", span, &mut [("$handler", Some(handler))]);
            let message = format!(
                "{name} calls its function while rendering; it is read as a function that does so when it happens"
            );
            self.change(attribute, made, Severity::Warning, message, &format!("Write {name}={{() => …}}"));
            return;
        }
        if let Some(renamed) = renamed(&name, place) {
            let message = format!("<{}> has no {name}; it is read as {renamed}", place.tag);
            self.log.repaired("handler", Severity::Warning, message, &format!("Write {renamed}"), span);
            attribute.name = JSXAttrName::Ident(IdentName::new(renamed.into(), span));
            let presses = renamed == "onClick";
            if place.native && !presses && self.locals.takes(&handler) != Takes::Event {
                self.entered(attribute, handler, place);
            }
            return;
        }
        let takes = self.locals.takes(&handler);
        if place.is_field() && matches!(name.as_str(), "onChange" | "onInput") && takes == Takes::Value {
            self.entered(attribute, handler, place);
            let message = format!(
                "{name} of <{}> is called with an event; the handler stores a value, and is given what was entered",
                place.tag
            );
            let help = format!("Write {name}={{(event) => set…(event.target.value)}}");
            self.log.repaired("handler", Severity::Warning, message, &help, span);
        } else if !place.native && takes == Takes::Event {
            self.reads_event(attribute, handler, &name, place);
        }
    }

    /// A component calls this handler with a value, and the handler reads an event.
    fn reads_event(&mut self, attribute: &mut JSXAttr, handler: Expr, name: &str, place: &Place) {
        let span = attribute.span;
        let calendar = place.tag == "Calendar" && matches!(name, "onSelect" | "onChange");
        if name == "onChange" && VALUED.contains(&place.tag.as_str()) {
            let message = format!(
                "{} gives onChange the value; this handler reads an event, so the kit gives it one that holds the value",
                place.tag
            );
            let prop =
                if matches!(place.tag.as_str(), "Switch" | "Checkbox") { "onCheckedChange" } else { "onValueChange" };
            self.log.repaired("handler", Severity::Hint, message, &format!("Write {prop}={{(value) => …}}"), span);
        } else if GIVES_VALUE.contains(&name) || calendar {
            let name_of = Expr::Lit(Lit::Str(Str { span, value: place.name.as_str().into(), raw: None }));
            let mut holes = [("$handler", Some(handler)), ("$name", Some(name_of.clone())), ("$name", Some(name_of))];
            let made = expression(AS_EVENT, span, &mut holes);
            let message = format!(
                "{} gives {name} the value; this handler reads an event, and is given one that holds the value",
                place.tag
            );
            self.change(attribute, made, Severity::Warning, message, &format!("Write {name}={{(value) => …}}"));
        }
    }

    /// Hands a handler what was entered instead of the event.
    fn entered(&mut self, attribute: &mut JSXAttr, handler: Expr, place: &Place) {
        let initial = match bare(&handler) {
            Expr::Ident(setter) => self.locals.setter(&setter.sym),
            _ => None,
        };
        let made = format!("($event) => $handler({})", place.entered(initial));
        if let Some(made) = expression(&made, attribute.span, &mut [("$handler", Some(handler))]) {
            attribute.value = Some(container(made, attribute.span));
        }
    }

    fn change(
        &mut self,
        attribute: &mut JSXAttr,
        made: Option<Box<Expr>>,
        severity: Severity,
        message: String,
        help: &str,
    ) {
        let Some(made) = made else { return };
        attribute.value = Some(container(made, attribute.span));
        self.log.repaired("handler", severity, message, help, attribute.span);
    }
}

fn value_of(attribute: &JSXAttr) -> Option<Expr> {
    match attribute.value.as_ref()? {
        JSXAttrValue::JSXExprContainer(JSXExprContainer { expr: JSXExpr::Expr(expr), .. }) => Some((**expr).clone()),
        _ => None,
    }
}

/// The attribute that was meant by one that does not exist on this element.
fn renamed(name: &str, place: &Place) -> Option<&'static str> {
    let free = |name: &str| !place.has.contains(&name);
    match name {
        "onPress" | "onTap" if (place.native || place.tag == "Button") && free("onClick") => Some("onClick"),
        "onValueChange" | "onCheckedChange" | "onChangeText" if place.is_field() && free("onChange") => {
            Some("onChange")
        }
        "onChangeText" if matches!(place.tag.as_str(), "Input" | "Textarea") => Some("onValueChange"),
        _ => None,
    }
}
