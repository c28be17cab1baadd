//! The names of attributes: those of HTML and SVG, and what React calls them.

/// Events, as React spells them. HTML's spelling is the same in lower case.
const EVENTS: &[&str] = &[
    "onClick",
    "onChange",
    "onInput",
    "onSubmit",
    "onReset",
    "onInvalid",
    "onFocus",
    "onBlur",
    "onKeyDown",
    "onKeyUp",
    "onKeyPress",
    "onMouseDown",
    "onMouseUp",
    "onMouseMove",
    "onMouseEnter",
    "onMouseLeave",
    "onMouseOver",
    "onMouseOut",
    "onContextMenu",
    "onWheel",
    "onScroll",
    "onDrag",
    "onDragStart",
    "onDragEnd",
    "onDragEnter",
    "onDragLeave",
    "onDragOver",
    "onDrop",
    "onTouchStart",
    "onTouchMove",
    "onTouchEnd",
    "onTouchCancel",
    "onPointerDown",
    "onPointerUp",
    "onPointerMove",
    "onPointerEnter",
    "onPointerLeave",
    "onCopy",
    "onCut",
    "onPaste",
    "onLoad",
    "onError",
    "onPlay",
    "onPause",
    "onEnded",
    "onTimeUpdate",
    "onAnimationEnd",
    "onTransitionEnd",
    "onToggle",
];

/// Other attributes that React spells in its own way.
const SPELLED: &[&str] = &[
    "tabIndex",
    "readOnly",
    "maxLength",
    "minLength",
    "autoFocus",
    "autoComplete",
    "autoPlay",
    "autoCapitalize",
    "autoCorrect",
    "colSpan",
    "rowSpan",
    "srcSet",
    "srcDoc",
    "srcLang",
    "crossOrigin",
    "contentEditable",
    "spellCheck",
    "encType",
    "dateTime",
    "charSet",
    "noValidate",
    "useMap",
    "frameBorder",
    "allowFullScreen",
    "playsInline",
    "inputMode",
    "enterKeyHint",
    "formAction",
    "formMethod",
    "formNoValidate",
    "accessKey",
    "cellPadding",
    "cellSpacing",
    "hrefLang",
    "referrerPolicy",
    "viewBox",
    "preserveAspectRatio",
    "gradientUnits",
    "gradientTransform",
    "patternUnits",
    "patternTransform",
    "clipPathUnits",
    "stdDeviation",
    "textLength",
    "pathLength",
    "markerWidth",
    "markerHeight",
    "markerUnits",
    "refX",
    "refY",
];

/// Beginnings of SVG's attributes that are written with a dash.
const DASHED: &[&str] = &[
    "stroke-",
    "fill-",
    "clip-",
    "stop-",
    "font-",
    "text-",
    "marker-",
    "color-",
    "flood-",
    "letter-",
    "word-",
    "pointer-",
    "vector-",
    "dominant-",
    "alignment-",
    "baseline-",
    "shape-",
    "image-",
    "paint-",
    "lighting-",
    "writing-",
    "glyph-",
    "underline-",
    "overline-",
    "strikethrough-",
];

/// React's name for an attribute that is written otherwise; `None` when the name is right or unknown.
pub(super) fn react_name(name: &str) -> Option<String> {
    match name {
        "class" => return Some("className".to_owned()),
        "for" => return Some("htmlFor".to_owned()),
        "http-equiv" => return Some("httpEquiv".to_owned()),
        "accept-charset" => return Some("acceptCharset".to_owned()),
        "ondblclick" | "onDblClick" | "onDblclick" | "onDoubleclick" => return Some("onDoubleClick".to_owned()),
        _ => {}
    }
    if DASHED.iter().any(|beginning| name.starts_with(beginning)) {
        return Some(camel(name, '-'));
    }
    let known = EVENTS.iter().chain(SPELLED).find(|known| known.eq_ignore_ascii_case(name))?;
    (*known != name).then(|| (*known).to_owned())
}

/// React's name for `xlink:href` and its like.
pub(super) fn namespaced(space: &str, name: &str) -> Option<String> {
    matches!(space, "xlink" | "xml" | "xmlns").then(|| camel(&format!("{space}:{name}"), ':'))
}

/// `a-bc-d` as `aBcD`.
pub(super) fn camel(name: &str, separator: char) -> String {
    let mut words = name.split(separator);
    let mut out = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_html_and_svg_write_has_react_s_name() {
        for (written, name) in [
            ("class", "className"),
            ("onclick", "onClick"),
            ("onKeydown", "onKeyDown"),
            ("stroke-width", "strokeWidth"),
            ("clip-path", "clipPath"),
            ("viewbox", "viewBox"),
            ("tabindex", "tabIndex"),
        ] {
            assert_eq!(react_name(written).as_deref(), Some(name));
        }
        for name in ["className", "onClick", "data-id", "aria-label", "onValueChange", "x", "on"] {
            assert_eq!(react_name(name), None, "{name}");
        }
        assert_eq!(namespaced("xlink", "href").as_deref(), Some("xlinkHref"));
        assert_eq!(namespaced("on", "click"), None);
    }
}
