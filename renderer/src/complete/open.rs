//! What a text leaves open, and where each thing was opened: for words about it, not for closing it.

use super::Completer;
use super::frame::{Frame, Kind};

/// Something that was opened and is not closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// How it begins: `<div>`, `{`, `(`, `[`, `` ` ``, `"`, `/*`.
    pub name: String,
    /// Byte offset of its beginning.
    pub at: usize,
}

impl Open {
    /// Whether it is an element or a fragment.
    pub fn is_element(&self) -> bool {
        self.name.starts_with('<')
    }
}

/// What is open at the end of `text`, innermost first. What the text forgot to close earlier does not count, where what
/// follows shows that it did.
pub fn open(text: &str) -> Vec<Open> {
    let mut completer = Completer::new();
    completer.push(text);
    let machine = &completer.machine;
    let mut found: Vec<Open> = pending(text, machine.cur.pos).into_iter().collect();
    let mut id = machine.cur.top;
    loop {
        let frame = machine.arena.get(id);
        if frame.kind == Kind::Module {
            return found;
        }
        if let Some(name) = name(text, frame) {
            let at = frame.start as usize;
            found.push(Open { name, at });
        }
        id = frame.parent;
    }
}

/// A string, a template or a comment that the scanner waits for.
fn pending(text: &str, at: usize) -> Option<Open> {
    let rest = text.get(at..)?.trim_start();
    let at = text.len() - rest.len();
    let name = ["/*", "\"", "'", "<!--"].into_iter().find(|name| rest.starts_with(name))?;
    Some(Open { name: name.to_owned(), at })
}

fn name(text: &str, frame: &Frame) -> Option<String> {
    let written = |frame: &Frame| text.get(frame.name.0 as usize..frame.name.1 as usize).unwrap_or("");
    let name = match frame.kind {
        Kind::JsxElement => format!("<{}>", written(frame)),
        Kind::JsxTag => format!("the tag <{}", written(frame)),
        Kind::Template => "`".to_owned(),
        Kind::Paren { .. } => "(".to_owned(),
        Kind::Bracket => "[".to_owned(),
        Kind::TypeGroup { close } => match close {
            b'>' => "<".to_owned(),
            b')' => "(".to_owned(),
            b']' => "[".to_owned(),
            _ => "{".to_owned(),
        },
        Kind::Block
        | Kind::FnBody { .. }
        | Kind::Switch
        | Kind::ClassBody { .. }
        | Kind::Object
        | Kind::TemplateExpr
        | Kind::JsxAttr
        | Kind::JsxChild => "{".to_owned(),
        Kind::Module | Kind::Member | Kind::Stmt(_) | Kind::FnHead | Kind::ClassHead | Kind::Type { .. } => {
            return None;
        }
    };
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, usize)> {
        open(text).into_iter().map(|open| (open.name, open.at)).collect()
    }

    #[test]
    fn what_is_open_is_told_innermost_first() {
        let text = "const App = () => (<div><p>{rows.map((r) => [r, `a ${";
        let found: Vec<String> = names(text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(found, ["{", "`", "[", "(", "{", "<p>", "<div>", "("]);
        assert_eq!(names("const s = f(\"abc").first(), Some(&("\"".to_owned(), 12)));
        assert_eq!(names("const a = 1; // (\n/* {").first(), Some(&("/*".to_owned(), 18)));
        assert!(names("export default () => <p>a</p>;\n").is_empty());
    }
}
