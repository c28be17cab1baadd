//! Every prefix of every module of the corpus, and what is visible in it.

mod hostile;
mod mend;
mod properties;

use swc_common::{BytePos, FileName, SourceMap, sync::Lrc};
use swc_ecma_ast::{
    Decl, DefaultDecl, EsVersion, ExportSpecifier, Expr, JSXElement, JSXFragment, Module, ModuleDecl, ModuleExportName,
    ModuleItem, Pat, Stmt,
};
use swc_ecma_parser::{StringInput, Syntax, TsSyntax, lexer::Lexer};
use swc_ecma_visit::{Visit, VisitWith};
use ui4a_renderer::complete::{Completer, Completion, complete, repair};

/// Every TSX module of the corpus, by name.
pub fn corpus() -> Vec<(String, String)> {
    crate::corpus::corpus("tsx")
}

pub fn parse(text: &str) -> Result<Module, String> {
    let map: Lrc<SourceMap> = Lrc::default();
    let file = map.new_source_file(FileName::Anon.into(), text.to_owned());
    let syntax = Syntax::Typescript(TsSyntax { tsx: true, ..TsSyntax::default() });
    let input = StringInput::new(text, file.start_pos, file.start_pos + BytePos(text.len() as u32));
    let mut parser = swc_ecma_parser::Parser::new_from(Lexer::new(syntax, EsVersion::latest(), input, None));
    let module = parser.parse_module().map_err(|error| format!("{:?}", error.kind()))?;
    match parser.take_errors().into_iter().next() {
        Some(error) => Err(format!("{:?}", error.kind())),
        None => Ok(module),
    }
}

#[derive(Default)]
struct Elements(usize);

impl Visit for Elements {
    fn visit_jsx_element(&mut self, element: &JSXElement) {
        self.0 += 1;
        element.visit_children_with(self);
    }
    fn visit_jsx_fragment(&mut self, fragment: &JSXFragment) {
        self.0 += 1;
        fragment.visit_children_with(self);
    }
}

fn elements(node: &impl VisitWith<Elements>) -> usize {
    let mut count = Elements::default();
    node.visit_with(&mut count);
    count.0
}

/// Elements in the component that the module exports by default, if there is one.
fn visible(module: &Module) -> Option<usize> {
    let mut name = None;
    for item in &module.body {
        match item {
            ModuleItem::ModuleDecl(ModuleDecl::ExportDefaultDecl(export)) => {
                return Some(match &export.decl {
                    DefaultDecl::Fn(function) => elements(function),
                    DefaultDecl::Class(class) => elements(class),
                    DefaultDecl::TsInterfaceDecl(_) => 0,
                });
            }
            ModuleItem::ModuleDecl(ModuleDecl::ExportDefaultExpr(export)) => match &*export.expr {
                Expr::Ident(ident) => name = Some(ident.sym.to_string()),
                Expr::Call(call) if matches!(call.args.first().map(|arg| &*arg.expr), Some(Expr::Ident(_))) => {
                    // `memo(App)`: what it wraps.
                    name = call.args[0].expr.as_ident().map(|ident| ident.sym.to_string());
                }
                other => return Some(elements(other)),
            },
            ModuleItem::ModuleDecl(ModuleDecl::ExportNamed(export)) => {
                for specifier in &export.specifiers {
                    if let ExportSpecifier::Named(named) = specifier
                        && let Some(ModuleExportName::Ident(exported)) = &named.exported
                        && exported.sym == "default"
                        && let ModuleExportName::Ident(local) = &named.orig
                    {
                        name = Some(local.sym.to_string());
                    }
                }
            }
            _ => {}
        }
    }
    let name = name?;
    let declared = module.body.iter().find_map(|item| {
        let decl = match item {
            ModuleItem::Stmt(Stmt::Decl(decl)) => decl,
            ModuleItem::ModuleDecl(ModuleDecl::ExportDecl(export)) => &export.decl,
            _ => return None,
        };
        match decl {
            Decl::Fn(function) => (function.ident.sym == *name).then(|| elements(function)),
            Decl::Class(class) => (class.ident.sym == *name).then(|| elements(class)),
            Decl::Var(var) => var
                .decls
                .iter()
                .find(|declarator| matches!(&declarator.name, Pat::Ident(ident) if ident.id.sym == *name))
                .map(elements),
            _ => None,
        }
    });
    Some(declared.unwrap_or_else(|| panic!("`{name}` is exported and not there")))
}

fn parsed(completion: &Completion, context: &str) -> Module {
    parse(&completion.text).unwrap_or_else(|error| panic!("{context}: {error}\n{}", completion.text))
}

/// Completes at every character, one pushed at a time; fails unless all parse and what is visible stays.
fn stream(name: &str, source: &str) {
    let mut completer = Completer::new();
    let (mut shown, mut all, mut settled) = (0, 0, 0);
    for (at, character) in source.char_indices() {
        let mut buffer = [0; 4];
        completer.push(character.encode_utf8(&mut buffer));
        let prefix = &source[..at + character.len_utf8()];
        let completion = completer.complete();
        let context = format!("{name} at {}", prefix.len());
        let module = parsed(&completion, &context);
        let now = visible(&module).unwrap_or(0);
        assert!(shown == 0 || now > 0, "{context}: what was visible is gone\n{}", completion.text);
        let total = elements(&module);
        assert!(total >= all, "{context}: {all} elements became {total}\n{}", completion.text);
        assert!(completion.settled >= settled && completion.settled <= prefix.len());
        (shown, all, settled) = (now, total, completion.settled);
    }
    assert!(shown > 0 || !source.contains("default"), "{name} never showed anything");
}

#[test]
fn every_prefix_of_the_corpus_parses_and_keeps_what_is_visible() {
    let corpus = corpus();
    assert!(corpus.len() >= 12);
    for (name, source) in corpus {
        stream(&name, &source);
    }
}

#[test]
fn a_whole_module_is_left_as_it_is() {
    // What mounts itself exports nothing, and gets an export.
    for (name, source) in corpus().into_iter().filter(|(_, source)| source.contains("default")) {
        parse(&source).unwrap_or_else(|error| panic!("{name} itself: {error}"));
        for completion in [complete(&source), repair(&source)] {
            assert_eq!(completion.text, source, "{name}");
            assert!(completion.is_untouched() && completion.has_default, "{name}");
        }
    }
}

#[test]
fn chunks_do_not_matter() {
    for (name, source) in corpus() {
        let mut completer = Completer::new();
        for (at, character) in source.char_indices() {
            completer.push(&source[at..at + character.len_utf8()]);
            let end = at + character.len_utf8();
            if end % 17 == 0 {
                assert_eq!(completer.complete(), complete(&source[..end]), "{name} at {end}");
            }
        }
    }
}

#[test]
fn a_source_that_ends_anywhere_is_mended() {
    let (mut cuts, mut broken) = (0, Vec::new());
    for (name, source) in corpus() {
        for (at, _) in source.char_indices() {
            cuts += 1;
            if parse(&repair(&source[..at]).text).is_err() {
                broken.push(format!("{name} at {at}"));
            }
        }
    }
    // A last word that nothing follows is taken for whole, and sometimes is half a keyword or lacks its arrow.
    assert!(broken.len() * 200 < cuts, "{} of {cuts}: {broken:?}", broken.len());
}

#[test]
fn a_statement_without_a_semicolon_stays_whole_when_the_next_line_begins() {
    let line = "export default () => {\n  const id = useId()\n";
    for next in ["  c", "  con", "  /", "  // why", "  i", "  return <p>"] {
        let completion = complete(&format!("{line}{next}"));
        assert!(completion.has_default && completion.text.contains("useId()"), "{next}: {}", completion.text);
    }
    let chained = complete("export default () => {\n  const a = list\n    .map(f");
    assert!(!chained.text.contains("list"), "{}", chained.text);
}

#[test]
fn text_that_looks_like_code_stays_visible() {
    // Field cases A1 and A3.
    let source = "export default function App() { return <div><p>Hello</p><p>Grade A(B) if [x] & y; a > b ? c : d // \"quoted</p></div>; }\n";
    let mut seen = 0;
    for at in 1..=source.len() {
        let completion = complete(&source[..at]);
        let now = elements(&parsed(&completion, &format!("at {at}")));
        assert!(now >= seen, "at {at}: {}", completion.text);
        seen = now;
    }
    assert_eq!(seen, 3);
    assert!(complete("export default function App() { return <div><p>Hel").text.contains("<p>Hel</p></div>"));
    assert!(complete("export default () => <p>Grade A(").text.contains("Grade A(</p>"));
}

#[test]
fn nothing_stands_in_for_what_is_not_there_yet() {
    let completion = complete("function App() {\n  const [n, setN] = useState(0);\n  useEffect(() => { tick(");
    assert!(completion.text.contains("useState(0);") && !completion.text.contains("useEffect"), "{}", completion.text);
    assert!(completion.text.trim_end().ends_with("return null; }"), "{}", completion.text);
    let tag = complete("export default () => <main><img src=\"a.png\" alt=\"An un");
    assert!(!tag.text.contains("img") && tag.text.contains("<main></main>"), "{}", tag.text);
    assert_eq!(complete("import { useState } from \"rea").text, "");
    assert_eq!(complete("const a = [1, 2").text, "");
    let container = complete("export default () => <p>{user.na");
    assert!(container.text.contains("<p></p>"), "{}", container.text);
}

#[test]
fn halves_are_finished_on_the_way_to_something_visible() {
    let ternary = complete("export default () => <p>{ok ? <b>yes");
    assert!(ternary.text.contains("{ok ? <b>yes</b> : null}</p>"), "{}", ternary.text);
    let list = complete("export default function App() { return (<ul>{items.map((x) => (<li key={x}>it");
    assert!(list.text.contains("<li key={x}>it</li>))}</ul>); }"), "{}", list.text);
    let early = complete("export default function App() { if (a) { return <p>wait");
    assert!(early.text.contains("<p>wait</p>;}; return null; }"), "{}", early.text);
}

#[test]
fn a_component_that_nobody_exports_is_exported() {
    assert_eq!(
        repair("const A = () => <p>a</p>;\nfunction B() { return <i>b</i> }").default_added.as_deref(),
        Some("B")
    );
    assert_eq!(
        repair("function App() { return <p/> }\nfunction B() { return <i/> }").default_added.as_deref(),
        Some("App")
    );
    assert_eq!(complete("const Card = ({ title }) => <p>{title}</p>;\n").default_added, None);
    assert_eq!(complete("const a = 1;\n").default_added, None);
    assert!(!complete("const a = 1;\n").has_default);
}

#[test]
fn offsets_lead_back_to_the_source() {
    let source = "export default () => <p>a < b and c</p>;\n";
    let completion = repair(source);
    assert_eq!(completion.text, "export default () => <p>a {\"<\"} b and c</p>;\n");
    let (text, origin) = (completion.text.find("b and").expect("text"), source.find("b and").expect("text"));
    assert_eq!(completion.to_source(text), origin);
    assert_eq!(completion.to_text(origin), text);
    let cut = complete("export default () => <p>ab");
    assert_eq!(cut.to_source(cut.text.len()), 26);
}
