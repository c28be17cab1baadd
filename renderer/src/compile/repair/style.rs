//! `style="color: red"` as the object that React wants.

use super::events::camel;
use crate::compile::element::text;
use swc_common::Span;
use swc_ecma_ast::*;

/// A piece of a style's text: a character, or the expression of that number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    Char(char),
    Hole(usize),
}

/// The object that a style attribute's text stands for; `None` when it is not text.
pub(super) fn object(attribute: &JSXAttr) -> Option<Box<Expr>> {
    let span = attribute.span;
    if let Some(text) = text(attribute) {
        let pieces: Vec<Piece> = text.chars().map(Piece::Char).collect();
        return Some(Box::new(make(&pieces, &[], span)));
    }
    let Some(JSXAttrValue::JSXExprContainer(JSXExprContainer { expr: JSXExpr::Expr(expr), .. })) = &attribute.value
    else {
        return None;
    };
    let Expr::Tpl(template) = &**expr else { return None };
    let mut pieces = Vec::new();
    for (at, quasi) in template.quasis.iter().enumerate() {
        pieces.extend(quasi.raw.chars().map(Piece::Char));
        if at < template.exprs.len() {
            pieces.push(Piece::Hole(at));
        }
    }
    // Where whole declarations come from elsewhere there is nothing to take apart.
    let declares = split(&pieces, ';').iter().all(|part| is_blank(part) || part.contains(&Piece::Char(':')));
    declares.then(|| Box::new(make(&pieces, &template.exprs, span)))
}

fn is_blank(pieces: &[Piece]) -> bool {
    pieces.iter().all(|piece| matches!(piece, Piece::Char(c) if c.is_whitespace()))
}

fn trim(mut pieces: &[Piece]) -> &[Piece] {
    let blank = |piece: &Piece| matches!(piece, Piece::Char(c) if c.is_whitespace());
    while let [first, rest @ ..] = pieces
        && blank(first)
    {
        pieces = rest;
    }
    while let [rest @ .., last] = pieces
        && blank(last)
    {
        pieces = rest;
    }
    pieces
}

/// Splits at `separator`, but not inside quotes or parentheses: `url(data:image/png;base64,…)` is one value.
fn split(pieces: &[Piece], separator: char) -> Vec<&[Piece]> {
    let (mut parts, mut from, mut depth, mut quote) = (Vec::new(), 0, 0_u32, None);
    for (at, piece) in pieces.iter().enumerate() {
        let Piece::Char(c) = *piece else { continue };
        match (quote, c) {
            (Some(open), _) => quote = Some(open).filter(|open| *open != c),
            (None, '"' | '\'') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, _) if c == separator && depth == 0 => {
                parts.push(&pieces[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&pieces[from..]);
    parts
}

fn make(pieces: &[Piece], exprs: &[Box<Expr>], span: Span) -> Expr {
    let mut props = Vec::new();
    for part in split(pieces, ';') {
        let Some(colon) = part.iter().position(|piece| *piece == Piece::Char(':')) else { continue };
        let (name, value) = (trim(&part[..colon]), trim(&part[colon + 1..]));
        let name: String =
            name.iter().filter_map(|piece| if let Piece::Char(c) = piece { Some(*c) } else { None }).collect();
        if name.is_empty() || value.is_empty() {
            continue;
        }
        let key = if name.starts_with("--") { name } else { property(&name) };
        let key = PropName::Str(Str { span, value: key.into(), raw: None });
        let pair = KeyValueProp { key, value: Box::new(value_of(value, exprs, span)) };
        props.push(PropOrSpread::Prop(Box::new(Prop::KeyValue(pair))));
    }
    Expr::Object(ObjectLit { span, props })
}

/// A property's name in React: `background-color` as `backgroundColor`, `-webkit-mask` as `WebkitMask`.
fn property(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    camel(name.strip_prefix("-ms-").map_or(name.clone(), |rest| format!("ms-{rest}")).as_str(), '-')
}

fn value_of(pieces: &[Piece], exprs: &[Box<Expr>], span: Span) -> Expr {
    let mut texts = vec![String::new()];
    let mut holes = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Char(c) => texts.iter_mut().last().into_iter().for_each(|text| text.push(*c)),
            Piece::Hole(at) => {
                holes.extend(exprs.get(*at).cloned());
                texts.push(String::new());
            }
        }
    }
    // React wants a priority nowhere: an inline style has the highest already.
    if let Some(last) = texts.last_mut() {
        *last = last.trim_end().trim_end_matches("!important").trim_end().to_owned();
    }
    if holes.is_empty() {
        return Expr::Lit(Lit::Str(Str { span, value: texts.concat().into(), raw: None }));
    }
    let last = texts.len() - 1;
    let quasis = texts
        .into_iter()
        .enumerate()
        .map(|(at, text)| TplElement { span, tail: at == last, cooked: Some(text.as_str().into()), raw: text.into() })
        .collect();
    Expr::Tpl(Tpl { span, exprs: holes, quasis })
}
