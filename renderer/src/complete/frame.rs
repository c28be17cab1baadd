//! The scanner's stack: what is open at a place in the source.
//!
//! Frames live in an arena and point at their parents, so an anchor (a place where the text may be cut) keeps the whole
//! stack of its moment by one number. A frame that an anchor can reach is never changed: it is replaced.
//! Knows nothing of tokens.

/// Index of a frame in the arena.
pub(super) type Id = u32;

/// A byte range of the source.
pub(super) type Span = (u32, u32);

/// Which anchors are allowed inside a frame: the way from the module to visible JSX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Nothing in here is shown before it is complete.
    Out,
    /// A list of top-level statements.
    Module,
    /// A declaration that may turn out to be a component, before its function's body.
    Decl,
    /// The statements of a component's own body.
    Body,
    /// An expression or statement from which visible JSX can be reached.
    Inner,
}

/// Statements, as far as their ends and their closing differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stmt {
    Expr,
    Return,
    /// `const`, `let`, `var`. Phase 0: a binding, 1: its initialiser.
    Var,
    /// `if`, `for`, `while`, `with`, `switch`, `catch`. Phase 0: before the parenthesis, 1: before the body.
    Header {
        switch: bool,
        boundary: bool,
    },
    /// `else`, `do`, `try`, `finally`: a statement follows at once.
    Prefix {
        boundary: bool,
    },
    Function,
    Class,
    Import,
    Export,
    ExportDefault,
    ExportNames,
    TypeAlias,
    Interface,
    Enum,
    Namespace,
    /// `case …:`. Not a statement, but ends like one.
    Case,
    /// `break`, `continue`, `debugger`.
    Jump,
}

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Module,
    Block,
    /// `component`: the body of a component; `bare`: closed by the end of a statement.
    FnBody {
        component: bool,
    },
    Switch,
    ClassBody {
        component: bool,
        renders: bool,
    },
    /// A class member. Phase 0: its name, 1: after its parameters, 2: its initialiser.
    Member,
    Stmt(Stmt),
    /// `function` up to its body. Phase 0: before the parameters, 1: after them.
    FnHead,
    ClassHead,
    /// `(`…`)`. `group`: an expression, or an arrow's parameters; otherwise a call or a header.
    Paren {
        group: bool,
        header: bool,
    },
    Bracket,
    /// `{`…`}` of a literal, a pattern, names to import, an enum. Phase 0: at a key, 1: at a value.
    Object,
    /// The text of a template literal.
    Template,
    TemplateExpr,
    /// A type after `:`, `as`, `satisfies` or `=`. `arrow`: the return type of an arrow.
    Type {
        arrow: bool,
    },
    /// Brackets inside a type, closed by the byte. `operand`: it stands for a value when closed.
    TypeGroup {
        close: u8,
    },
    /// An opening tag. Phase 0: before the name, 1: attributes, 2: after `=`.
    JsxTag,
    JsxElement,
    /// `{`…`}` in an opening tag.
    JsxAttr,
    /// `{`…`}` among children.
    JsxChild,
}

impl Kind {
    /// Statements may stand here.
    pub(super) fn is_list(self) -> bool {
        matches!(
            self,
            Self::Module
                | Self::Block
                | Self::FnBody { .. }
                | Self::Switch
                | Self::Stmt(Stmt::Header { .. } | Stmt::Prefix { .. })
        )
    }
}

/// What the last token inside a frame was, where it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prev {
    None,
    Word,
    Dot,
    Arrow,
    Group,
    Call,
    Async,
    Body,
    Jsx,
    Str,
    Other,
}

/// One open construct.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub parent: Id,
    pub kind: Kind,
    pub stage: Stage,
    pub phase: u8,
    pub prev: Prev,
    /// An operand (or type) must come next.
    pub need: bool,
    /// The parenthesis closed last in this frame was empty.
    pub empty: bool,
    /// Open `?` that still lack their `:`.
    pub ternary: u16,
    /// Where the construct begins in the source.
    pub start: u32,
    /// An element's name, a class member's name.
    pub name: Span,
}

impl Frame {
    pub fn new(kind: Kind, stage: Stage, start: usize) -> Self {
        Self {
            parent: 0,
            kind,
            stage,
            phase: 0,
            prev: Prev::None,
            need: true,
            empty: false,
            ternary: 0,
            start: start as u32,
            name: (0, 0),
        }
    }
}

/// The frames, and how many of them anchors may still read.
#[derive(Debug)]
pub(super) struct Arena {
    frames: Vec<Frame>,
    frozen: usize,
}

impl Arena {
    pub fn new() -> Self {
        Self { frames: vec![Frame::new(Kind::Module, Stage::Module, 0)], frozen: 1 }
    }

    pub fn get(&self, id: Id) -> &Frame {
        &self.frames[id as usize]
    }

    /// Puts a frame on top of `top`.
    pub fn push(&mut self, top: Id, mut frame: Frame) -> Id {
        frame.parent = top;
        self.frames.push(frame);
        (self.frames.len() - 1) as Id
    }

    /// The frame to change in place of `top`: itself, or a copy where an anchor may look at it.
    pub fn edit(&mut self, top: &mut Id) -> &mut Frame {
        if (*top as usize) < self.frozen {
            let copy = self.frames[*top as usize];
            *top = self.push(copy.parent, copy);
        }
        &mut self.frames[*top as usize]
    }

    /// Takes the frame off; its place is reused where nothing else can refer to it.
    pub fn pop(&mut self, top: Id) -> Id {
        let parent = self.frames[top as usize].parent;
        if top as usize >= self.frozen && top as usize + 1 == self.frames.len() {
            self.frames.pop();
        }
        parent
    }

    /// Keeps every frame of now unchanged from here on.
    pub fn freeze(&mut self) -> usize {
        self.frozen = self.frames.len();
        self.frozen
    }

    /// Forgets frames made after `freeze` answered `length`.
    pub fn restore(&mut self, length: usize) {
        self.frames.truncate(length);
        self.frozen = length;
    }
}
