//! Controls that do nothing: buttons, links and fields that nobody listens to, and handlers that run instead of waiting.

use super::{Finding, offsets};
use crate::compile::element::{attribute, attribute_name, bare, expression, has, is_handler, is_native, tag, text};
use crate::compile::locals::{Gives, Local, Locals};
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};
use ui4a_types::{Phase, Severity};

pub(super) fn check(item: &ModuleItem, start: u32, locals: &Locals, findings: &mut Vec<Finding>) {
    item.visit_with(&mut Controls { start, locals, findings, excused: 0, form: None });
}

struct Controls<'a> {
    start: u32,
    locals: &'a Locals,
    findings: &'a mut Vec<Finding>,
    /// Elements around this one that give a button or a link its meaning (a trigger, a link).
    excused: u32,
    /// Whether the form around this one listens; `None` outside a form.
    form: Option<bool>,
}

/// What makes a control do something.
const HANDLERS: &[&str] = &[
    "onClick",
    "onClickCapture",
    "onPress",
    "onPointerDown",
    "onPointerUp",
    "onMouseDown",
    "onMouseUp",
    "onTouchStart",
    "onTouchEnd",
    "onKeyDown",
    "onSubmit",
    "onDoubleClick",
    "onAction",
    "onSelect",
    "formAction",
    "popoverTarget",
    "command",
    "dangerouslySetInnerHTML",
    "ref",
];

/// What makes a button something else, or says that it means to do nothing now.
const OTHERWISE: &[&str] = &["asChild", "disabled", "form", "href", "to", "as", "render", "loading"];

/// What listens to a field.
const FIELD_HANDLERS: &[&str] = &[
    "onChange",
    "onInput",
    "onValueChange",
    "onCheckedChange",
    "onChangeCapture",
    "onInputCapture",
    "onSelect",
    "onKeyDown",
    "onClick",
    "readOnly",
    "disabled",
    "ref",
    "register",
];

/// Kinds of `input` whose `value` is not what the user enters.
const FIXED_VALUE: &[&str] = &["button", "submit", "reset", "image", "hidden", "checkbox", "radio"];

fn gives_meaning(element: &JSXOpeningElement) -> bool {
    let name = tag(element);
    ["Trigger", "Close", "Link", "Upload", "Cancel", "Action", "Toggle"].iter().any(|part| name.ends_with(part))
        || name == "label"
        || has(element, &["asChild", "render"])
}

impl Controls<'_> {
    fn found(&mut self, code: &str, message: &str, help: &str, span: swc_common::Span) {
        let at = offsets(span, self.start);
        self.findings.push(Finding::new(code, Severity::Warning, Phase::Type, message, at).help(help));
    }

    fn button(&mut self, node: &JSXElement) {
        let opening = &node.opening;
        let holds_control = node.children.iter().any(|child| {
            matches!(child, JSXElementChild::JSXElement(element)
                if matches!(tag(&element.opening), "a" | "Link" | "NavLink" | "input"))
        });
        if self.excused > 0 || holds_control || has(opening, HANDLERS) || has(opening, OTHERWISE) {
            return;
        }
        let kind = attribute(opening, "type").map(|attribute| text(attribute).unwrap_or_else(|| "submit".to_owned()));
        let submits = kind.as_deref().is_none_or(|kind| matches!(kind, "submit" | "reset"));
        match (submits, self.form) {
            // What submits in a form that does not listen is told at the form.
            (true, Some(_)) => {}
            (true, None) if kind.is_some() => self.found(
                "button-without-handler",
                "This button submits nothing: there is no form around it",
                "Give it onClick, or put it and its fields in a <form onSubmit={…}>",
                opening.span,
            ),
            _ => self.found(
                "button-without-handler",
                "This button does nothing when it is pressed",
                "Give it onClick, or type=\"submit\" inside a form",
                opening.span,
            ),
        }
    }

    fn link(&mut self, opening: &JSXOpeningElement) {
        let target = attribute(opening, "href").map(|href| text(href).unwrap_or_else(|| "elsewhere".to_owned()));
        let target = target.as_deref().map_or("", str::trim);
        let leads_nowhere = matches!(target, "" | "#" | "#!") || target.starts_with("javascript:");
        if leads_nowhere && self.excused == 0 && !has(opening, HANDLERS) && !has(opening, &["name", "id", "role"]) {
            self.found(
                "dead-link",
                "This link leads nowhere and nothing listens to it",
                "Give it onClick, or the address of something, or write plain text",
                opening.span,
            );
        }
    }

    fn field(&mut self, opening: &JSXOpeningElement) {
        let kind = attribute(opening, "type").and_then(text).unwrap_or_default();
        let checks = matches!(kind.as_str(), "checkbox" | "radio");
        let held = if checks { "checked" } else { "value" };
        if FIXED_VALUE.contains(&kind.as_str()) && !checks {
            return;
        }
        if attribute(opening, held).is_none() || has(opening, FIELD_HANDLERS) {
            return;
        }
        let default = if checks { "defaultChecked" } else { "defaultValue" };
        self.found(
            "dead-control",
            &format!("This field cannot be changed: it has {held} and nothing that changes it"),
            &format!("Give it onChange, or write {default} instead of {held}"),
            opening.span,
        );
    }

    fn form(&mut self, opening: &JSXOpeningElement, node: &JSXElement) -> bool {
        let listens = has(opening, &["onSubmit", "action", "ref", "onReset", "onChange", "onSubmitCapture"]);
        if !listens {
            let mut buttons = Buttons(false);
            node.children.visit_with(&mut buttons);
            if buttons.0 {
                self.found(
                    "form-without-handler",
                    "This form does nothing when it is submitted",
                    "Give it onSubmit={(event) => { event.preventDefault(); … }}",
                    opening.span,
                );
            }
        }
        listens
    }
}

/// Finds a button that submits and that nothing else listens to.
struct Buttons(bool);

impl Visit for Buttons {
    fn visit_jsx_opening_element(&mut self, node: &JSXOpeningElement) {
        let submits = attribute(node, "type").and_then(text).is_none_or(|kind| kind == "submit");
        self.0 |= matches!(tag(node), "button" | "Button") && submits && !has(node, HANDLERS) && !has(node, OTHERWISE);
    }
}

impl Visit for Controls<'_> {
    fn visit_jsx_element(&mut self, node: &JSXElement) {
        let opening = &node.opening;
        let native = is_native(opening);
        let form = self.form;
        match tag(opening) {
            "button" | "Button" => self.button(node),
            "a" if native => self.link(opening),
            "input" | "textarea" | "select" if native => self.field(opening),
            "Input" | "Textarea" => self.field(opening),
            "form" if native => self.form = Some(self.form(opening, node)),
            "Form" => self.form = Some(true),
            _ => {}
        }
        let excuses = gives_meaning(opening);
        self.excused += u32::from(excuses);
        node.visit_children_with(self);
        self.excused -= u32::from(excuses);
        self.form = form;
    }

    /// `onClick={save()}`: what the compiler could not put right by itself.
    fn visit_jsx_attr(&mut self, node: &JSXAttr) {
        node.visit_children_with(self);
        let name = attribute_name(node);
        let Some(Expr::Call(call)) = expression(node).map(bare).filter(|_| is_handler(name)) else { return };
        let Callee::Expr(callee) = &call.callee else { return };
        let Expr::Ident(callee) = &**callee else { return };
        if !call.args.is_empty()
            || matches!(self.locals.get(&callee.sym), Some(Local::Function { gives: Gives::Something, .. }))
        {
            return;
        }
        self.found(
            "handler-called",
            &format!("{} is called while rendering, and what it gives becomes the handler", callee.sym),
            &format!("Write {name}={{() => {}()}}, or {name}={{{}}}", callee.sym, callee.sym),
            node.span,
        );
    }
}
