//! Names that a browser gives every script.

/// Globals of the language and of the web platform that models use.
const NAMES: &[&str] = &[
    "AbortController", "AbortSignal", "AggregateError", "Array", "ArrayBuffer", "Atomics", "Attr", "Audio", "AudioContext",
    "BigInt", "CanvasRenderingContext2D", "BigInt64Array", "BigUint64Array", "Blob", "Boolean", "BroadcastChannel", "CSS", "CSSStyleSheet", "Comment",
    "CompressionStream", "CountQueuingStrategy", "Crypto", "CryptoKey", "CustomElementRegistry", "CustomEvent", "DOMException",
    "DOMMatrix", "DOMParser", "DOMPoint", "DOMRect", "DataTransfer", "DataView", "Date", "DecompressionStream", "Document",
    "DocumentFragment", "Element", "Error", "EvalError", "Event", "EventSource", "EventTarget", "File", "FileList", "FileReader",
    "FinalizationRegistry", "Float16Array", "Float32Array", "Float64Array", "FontFace", "FormData", "Function", "Headers",
    "History", "Image", "ImageBitmap", "ImageData", "Infinity", "InputEvent", "Int16Array", "Int32Array", "Int8Array",
    "IntersectionObserver", "Intl", "Iterator", "JSON", "KeyboardEvent", "Location", "Map", "Math", "MediaRecorder",
    "MediaStream", "MessageChannel", "MessageEvent", "MessagePort", "MouseEvent", "MutationObserver", "NaN", "Navigator", "Node",
    "NodeFilter", "NodeList", "Notification", "Number", "Object", "OffscreenCanvas", "Option", "Path2D", "Performance",
    "PerformanceObserver", "PointerEvent", "Promise", "PromiseRejectionEvent", "Proxy", "Range", "RangeError", "ReadableStream",
    "ReferenceError", "Reflect", "RegExp", "Request", "ResizeObserver", "Response", "Screen", "Selection", "Set",
    "SharedArrayBuffer", "SharedWorker", "SpeechSynthesisUtterance", "Storage", "String", "StyleSheet", "Symbol", "SyntaxError",
    "Text", "TextDecoder", "TextEncoder", "Touch", "TouchEvent", "TransformStream", "TypeError", "URIError", "URL",
    "URLSearchParams", "Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap", "WeakRef", "WeakSet",
    "WebAssembly", "WebSocket", "WheelEvent", "Window", "Worker", "WritableStream", "XMLHttpRequest", "XMLSerializer", "alert",
    "arguments", "atob", "btoa", "caches", "cancelAnimationFrame", "cancelIdleCallback", "clearInterval", "clearTimeout",
    "close", "confirm", "console", "createImageBitmap", "crypto", "customElements", "decodeURI", "decodeURIComponent",
    "devicePixelRatio", "dispatchEvent", "document", "encodeURI", "encodeURIComponent", "escape", "eval", "event", "fetch",
    "focus", "frames", "getComputedStyle", "getSelection", "globalThis", "history", "indexedDB", "innerHeight", "innerWidth",
    "isFinite", "isNaN", "localStorage", "location", "matchMedia", "name", "navigator", "open", "origin", "outerHeight",
    "outerWidth", "pageXOffset", "pageYOffset", "parent", "parseFloat", "parseInt", "performance", "postMessage", "print",
    "prompt", "queueMicrotask", "removeEventListener", "addEventListener", "reportError", "requestAnimationFrame",
    "requestIdleCallback", "screen", "screenX", "screenY", "scroll", "scrollBy", "scrollTo", "scrollX", "scrollY", "self",
    "sessionStorage", "setInterval", "setTimeout", "speechSynthesis", "stop", "structuredClone", "top", "trustedTypes",
    "undefined", "unescape", "visualViewport", "webkitAudioContext", "window",
];

/// Families of interface names, by how they begin.
const FAMILIES: &[&str] = &[
    "Animation", "Audio", "CSS", "Canvas", "Clipboard", "DOM", "GPU", "Gamepad", "HTML", "IDB", "Media", "Performance", "RTC", "SVG",
    "Speech", "WebGL",
];

/// Whether `name` is a browser's own.
pub(crate) fn is_global(name: &str) -> bool {
    if NAMES.contains(&name) {
        return true;
    }
    FAMILIES.iter().any(|family| {
        name.strip_prefix(family).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit()))
            && ["Element", "Event", "Context", "Node", "List", "Buffer", "Observer", "Recorder", "Stream", "Rule", "Rect", "Matrix"]
                .iter()
                .any(|end| name.ends_with(end))
    })
}

#[cfg(test)]
mod tests {
    use super::is_global;

    #[test]
    fn interface_families_are_known_and_components_are_not() {
        for name in ["Math", "HTMLInputElement", "SVGSVGElement", "CanvasRenderingContext2D", "localStorage"] {
            assert!(is_global(name), "{name}");
        }
        for name in ["Button", "MediaCard", "LineChart", "useState", "Canvas"] {
            assert!(!is_global(name), "{name}");
        }
    }
}
