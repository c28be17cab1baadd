//! One cell's worth of lowered code, before it is linked with the rest of its module.

use super::deps::Slot;
use super::lower::Synthetic;
use super::names::Target;
use super::refs::Refs;
use super::signature::HookCall;
use swc_atoms::Atom;
use swc_ecma_ast::{Expr, Pat, Stmt};

/// A lowered statement or declarator.
pub(crate) struct Unit {
    /// The top-level names it makes.
    pub names: Vec<Atom>,
    pub shape: Shape,
    /// The parser's position of the first byte of its statement.
    pub base: u32,
    /// Bytes of its statement.
    pub length: u32,
    pub synthetic: Synthetic,
    /// The outer names it uses.
    pub refs: Refs,
    /// Hooks that the function, or the function inside `memo`/`forwardRef`, calls itself.
    pub hooks: Vec<HookCall>,
    /// What the placeholders in its text stand for.
    pub slots: Vec<Slot>,
}

/// What a unit's text depends on besides itself.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct TemplateKey {
    /// The meaning of each outer name, in the order of `Refs::names`.
    pub targets: Vec<Target>,
    /// Whether its function is a component.
    pub component: bool,
}

/// The kinds of units.
#[derive(Clone)]
pub(crate) enum Shape {
    /// `function f(){}` (hoisted) or `const f = () => …`.
    Function { expr: Box<Expr>, hoisted: bool },
    /// `memo(function(){})` and its like: `wrapper` has the placeholder parameter where `inner` stood.
    Wrapped { wrapper: Box<Expr>, inner: Box<Expr>, label: Atom },
    /// Any other `const x = …`, with patterns.
    Value { target: Pat, init: Option<Box<Expr>> },
    /// A class.
    Class { expr: Box<Expr> },
    /// Several statements that make one thing (an enum, a namespace).
    Block { body: Vec<Stmt> },
    /// Statements run for what they do.
    Effect { body: Vec<Stmt> },
}

impl Unit {
    /// The first name, which names the cell's function, component or value.
    pub fn name(&self) -> &str {
        self.names.first().map_or("", Atom::as_str)
    }

    /// Whether it is hoisted above everything that is evaluated in order.
    pub fn is_hoisted(&self) -> bool {
        matches!(self.shape, Shape::Function { hoisted: true, .. })
    }

    /// Whether it is a function declaration or a function value.
    pub fn is_function(&self) -> bool {
        matches!(self.shape, Shape::Function { .. })
    }

    /// Whether it makes no name.
    pub fn is_effect(&self) -> bool {
        matches!(self.shape, Shape::Effect { .. })
    }

    /// Whether its function is async or a generator, which no component is.
    pub fn is_deferred(&self) -> bool {
        match &self.shape {
            Shape::Function { expr, .. } => match &**expr {
                Expr::Fn(function) => function.function.is_async || function.function.is_generator,
                Expr::Arrow(arrow) => arrow.is_async,
                _ => false,
            },
            _ => false,
        }
    }
}
