//! What a statement's own names are, as far as handlers care: state setters, and functions with what they take and give.
//!
//! Names are told apart by their spelling alone. One that is declared twice in the statement, with different meanings, is
//! not known.

use super::element::bare;
use super::signature::callee_name;
use std::collections::{HashMap, HashSet};
use swc_atoms::Atom;
use swc_ecma_ast::*;
use swc_ecma_visit::{Visit, VisitWith};

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Local {
    /// A state setter, and what its state starts as.
    Setter(Initial),
    /// A function.
    Function {
        /// What it makes of its first argument.
        takes: Takes,
        /// What calling it gives.
        gives: Gives,
    },
}

/// What a state starts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Initial {
    Number,
    Boolean,
    Other,
}

/// What a function makes of its first argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// It has no parameter.
    Nothing,
    /// It reads an event.
    Event,
    /// It stores the argument as it is.
    Value,
    Unknown,
}

/// What calling a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    /// Nothing: it is called for what it does.
    Nothing,
    /// Perhaps another function.
    Something,
}

/// The names of a statement.
#[derive(Debug, Default)]
pub(crate) struct Locals {
    names: HashMap<Atom, Local>,
    unclear: HashSet<Atom>,
}

impl Locals {
    /// The names that a statement declares, at any depth.
    pub fn of(item: &ModuleItem) -> Self {
        let mut setters = Setters(Self::default());
        item.visit_with(&mut setters);
        let mut functions = Functions { setters: &setters.0, locals: Self::default() };
        item.visit_with(&mut functions);
        let mut locals = functions.locals;
        for (name, meaning) in setters.0.names {
            locals.add(name, meaning);
        }
        locals.unclear.extend(setters.0.unclear);
        locals
    }

    /// The meaning of a name.
    pub fn get(&self, name: &Atom) -> Option<Local> {
        self.names.get(name).copied().filter(|_| !self.unclear.contains(name))
    }

    /// What the state of a setter starts as, if the name is a setter.
    pub fn setter(&self, name: &Atom) -> Option<Initial> {
        match self.get(name)? {
            Local::Setter(initial) => Some(initial),
            Local::Function { .. } => None,
        }
    }

    /// What a function, or the function that a name means, makes of its first argument.
    pub fn takes(&self, expr: &Expr) -> Takes {
        match bare(expr) {
            Expr::Ident(name) => match self.get(&name.sym) {
                Some(Local::Function { takes, .. }) => takes,
                Some(Local::Setter(_)) => Takes::Value,
                None => Takes::Unknown,
            },
            other => takes(other, self),
        }
    }

    fn add(&mut self, name: Atom, meaning: Local) {
        if self.names.insert(name.clone(), meaning).is_some_and(|before| before != meaning) {
            self.unclear.insert(name);
        }
    }
}

struct Setters(Locals);

impl Visit for Setters {
    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        node.visit_children_with(self);
        let (Pat::Array(pattern), Some(Expr::Call(call))) = (&node.name, node.init.as_deref()) else { return };
        let argument = match callee_name(&call.callee).map(Atom::as_str) {
            Some("useState") => call.args.first(),
            Some("usePersistedState") => call.args.get(1),
            _ => return,
        };
        let initial = match argument.map(|argument| bare(&argument.expr)) {
            Some(Expr::Lit(Lit::Num(_))) => Initial::Number,
            Some(Expr::Lit(Lit::Bool(_))) => Initial::Boolean,
            Some(Expr::Unary(UnaryExpr { op: UnaryOp::Minus, .. })) => Initial::Number,
            _ => Initial::Other,
        };
        if let Some(Some(Pat::Ident(setter))) = pattern.elems.get(1) {
            self.0.add(setter.id.sym.clone(), Local::Setter(initial));
        }
    }
}

struct Functions<'a> {
    setters: &'a Locals,
    locals: Locals,
}

impl Functions<'_> {
    fn declare(&mut self, name: &Atom, function: &Expr) {
        let meaning = Local::Function { takes: takes(function, self.setters), gives: gives(function, self.setters) };
        self.locals.add(name.clone(), meaning);
    }
}

impl Visit for Functions<'_> {
    fn visit_fn_decl(&mut self, node: &FnDecl) {
        let function = Expr::Fn(FnExpr { ident: None, function: node.function.clone() });
        self.declare(&node.ident.sym, &function);
        node.visit_children_with(self);
    }

    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        node.visit_children_with(self);
        let (Pat::Ident(name), Some(init)) = (&node.name, node.init.as_deref()) else { return };
        match init {
            Expr::Arrow(_) | Expr::Fn(_) => self.declare(&name.id.sym, init),
            Expr::Call(call) if callee_name(&call.callee).is_some_and(|callee| callee == "useCallback") => {
                if let Some(inner) =
                    call.args.first().filter(|inner| matches!(*inner.expr, Expr::Arrow(_) | Expr::Fn(_)))
                {
                    self.declare(&name.id.sym, &inner.expr);
                }
            }
            _ => {}
        }
    }
}

/// The first parameter and the body of a function expression.
fn parts(function: &Expr) -> Option<(Option<&Pat>, Body<'_>)> {
    match function {
        Expr::Arrow(arrow) => Some((
            arrow.params.first(),
            match &*arrow.body {
                ArrowFunctionBody::FunctionBody(body) => Body::Block(body),
                ArrowFunctionBody::Expr(expr) => Body::Expr(expr),
            },
        )),
        Expr::Fn(function) => {
            let body = function.function.body.as_ref()?;
            Some((function.function.params.first().map(|param| &param.pat), Body::Block(body)))
        }
        _ => None,
    }
}

enum Body<'a> {
    Block(&'a FunctionBody),
    Expr(&'a Expr),
}

impl Body<'_> {
    fn visit(&self, visitor: &mut impl Visit) {
        match self {
            Self::Block(body) => body.visit_with(visitor),
            Self::Expr(expr) => expr.visit_with(visitor),
        }
    }
}

/// What is read from an event and from hardly anything else.
const EVENT: &[&str] = &[
    "target",
    "currentTarget",
    "nativeEvent",
    "preventDefault",
    "stopPropagation",
    "persist",
    "key",
    "clientX",
    "clientY",
    "dataTransfer",
];

fn takes(function: &Expr, setters: &Locals) -> Takes {
    let Some((parameter, body)) = parts(function) else { return Takes::Unknown };
    let parameter = match parameter {
        None => return Takes::Nothing,
        Some(Pat::Object(pattern)) => {
            let reads = pattern.props.iter().any(|property| match property {
                ObjectPatProp::KeyValue(pair) => {
                    matches!(&pair.key, PropName::Ident(key) if EVENT.contains(&key.sym.as_str()))
                }
                ObjectPatProp::Assign(assign) => EVENT.contains(&assign.key.id.sym.as_str()),
                ObjectPatProp::Rest(_) => false,
            });
            return if reads { Takes::Event } else { Takes::Unknown };
        }
        Some(Pat::Ident(parameter)) => parameter,
        Some(_) => return Takes::Unknown,
    };
    let mut uses = Uses { name: &parameter.id.sym, setters, event: false, other: false, stored: false, setting: 0 };
    body.visit(&mut uses);
    match uses {
        Uses { event: true, .. } => Takes::Event,
        Uses { other: false, stored: true, .. } => Takes::Value,
        _ => Takes::Unknown,
    }
}

/// How a parameter is used.
struct Uses<'a> {
    name: &'a Atom,
    setters: &'a Locals,
    event: bool,
    other: bool,
    stored: bool,
    setting: u32,
}

impl Visit for Uses<'_> {
    fn visit_member_expr(&mut self, node: &MemberExpr) {
        if let (Expr::Ident(object), MemberProp::Ident(property)) = (&*node.obj, &node.prop)
            && object.sym == *self.name
        {
            if EVENT.contains(&property.sym.as_str()) {
                self.event = true;
            } else {
                self.other = true;
            }
            return;
        }
        node.visit_children_with(self);
    }

    fn visit_call_expr(&mut self, node: &CallExpr) {
        let sets = matches!(&node.callee, Callee::Expr(callee)
            if matches!(&**callee, Expr::Ident(name) if self.setters.setter(&name.sym).is_some()));
        node.callee.visit_with(self);
        self.setting += u32::from(sets);
        node.args.visit_with(self);
        self.setting -= u32::from(sets);
    }

    fn visit_ident(&mut self, node: &Ident) {
        self.stored |= self.setting > 0 && node.sym == *self.name;
    }
}

fn gives(function: &Expr, setters: &Locals) -> Gives {
    let Some((_, body)) = parts(function) else { return Gives::Something };
    match body {
        Body::Expr(expr) => match bare(expr) {
            Expr::Call(call) if calls_for_effect(call, setters) => Gives::Nothing,
            Expr::Assign(_) | Expr::Update(_) => Gives::Nothing,
            _ => Gives::Something,
        },
        Body::Block(body) => {
            let mut returned = Returned(false);
            body.visit_with(&mut returned);
            if returned.0 { Gives::Something } else { Gives::Nothing }
        }
    }
}

/// What is only called for what it does.
const EFFECTS: &[&str] = &["alert", "sendMessage", "sendUserMessage", "sendAction", "setTimeout", "confirm", "prompt"];

/// Whether a call is surely made for what it does, not for what it gives.
pub(crate) fn calls_for_effect(call: &CallExpr, locals: &Locals) -> bool {
    let Callee::Expr(callee) = &call.callee else { return false };
    match &**callee {
        Expr::Ident(name) => match locals.get(&name.sym) {
            Some(Local::Setter(_)) | Some(Local::Function { gives: Gives::Nothing, .. }) => true,
            Some(Local::Function { .. }) => false,
            None => EFFECTS.contains(&name.sym.as_str()),
        },
        Expr::Member(MemberExpr { obj, .. }) => matches!(&**obj, Expr::Ident(object) if object.sym == "console"),
        _ => false,
    }
}

/// Finds a `return` with a value that belongs to the function itself.
struct Returned(bool);

impl Visit for Returned {
    fn visit_return_stmt(&mut self, node: &ReturnStmt) {
        self.0 |= node.arg.is_some();
    }

    fn visit_function(&mut self, _: &Function) {}

    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}

    fn visit_class(&mut self, _: &Class) {}
}
