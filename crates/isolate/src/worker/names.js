// Stand-ins for what packages touch while they load, and the listing of a bundle's names.
"use strict";
{
  const { keys, hasOwn } = Object;
  const { stringify } = JSON;
  const nothing = () => undefined;

  // Whatever a package takes from a dependency: can be called, constructed, extended and read, and is never thenable or
  // iterable without end.
  const standIn = () => {
    const target = function () {};
    const proxy = new Proxy(target, {
      get(_, key) {
        if (key === "prototype") return target.prototype;
        if (key === "then" || key === "length") return undefined;
        if (key === "__esModule") return true;
        if (key === Symbol.iterator) return function* () {};
        if (key === Symbol.toPrimitive) return () => "";
        if (typeof key === "symbol") return undefined;
        return proxy;
      },
      apply: () => proxy,
      construct: () => ({}),
      set: () => true,
      has: () => true,
    });
    return proxy;
  };

  const style = { setProperty: nothing, removeProperty: nothing, getPropertyValue: () => "" };
  const node = (name) => ({
    nodeName: name,
    tagName: name,
    nodeType: 1,
    style: { ...style },
    dataset: {},
    classList: { add: nothing, remove: nothing, toggle: nothing, contains: () => false },
    childNodes: [],
    children: [],
    parentNode: null,
    firstChild: null,
    attributes: [],
    innerHTML: "",
    textContent: "",
    sheet: { cssRules: [], insertRule: () => 0, deleteRule: nothing },
    appendChild: (child) => child,
    insertBefore: (child) => child,
    removeChild: (child) => child,
    append: nothing,
    remove: nothing,
    setAttribute: nothing,
    removeAttribute: nothing,
    getAttribute: () => null,
    hasAttribute: () => false,
    addEventListener: nothing,
    removeEventListener: nothing,
    dispatchEvent: () => true,
    querySelector: () => null,
    querySelectorAll: () => [],
    getElementsByTagName: () => [],
    getBoundingClientRect: () => ({ x: 0, y: 0, top: 0, left: 0, right: 0, bottom: 0, width: 0, height: 0 }),
    getContext: () => standIn(),
    cloneNode: () => node(name),
    contains: () => false,
    ownerDocument: null,
  });
  const document = {
    ...node("#document"),
    nodeType: 9,
    documentElement: node("HTML"),
    head: node("HEAD"),
    body: node("BODY"),
    readyState: "complete",
    cookie: "",
    currentScript: null,
    visibilityState: "visible",
    createElement: (name) => node(String(name).toUpperCase()),
    createElementNS: (_, name) => node(String(name)),
    createTextNode: () => node("#text"),
    createComment: () => node("#comment"),
    createDocumentFragment: () => node("#document-fragment"),
    createRange: () => standIn(),
    getElementById: () => null,
  };
  const location = {
    href: "http://localhost/", origin: "http://localhost", protocol: "http:", host: "localhost", hostname: "localhost",
    port: "", pathname: "/", search: "", hash: "", reload: nothing, assign: nothing, replace: nothing,
  };
  const storage = () => ({ getItem: () => null, setItem: nothing, removeItem: nothing, clear: nothing, length: 0 });
  const silent = {};
  for (const name of ["log", "info", "warn", "error", "debug", "trace", "group", "groupEnd", "time", "timeEnd", "assert"]) {
    silent[name] = nothing;
  }
  const given = {
    document, location, console: silent,
    navigator: { userAgent: "", platform: "", language: "en", languages: ["en"], maxTouchPoints: 0 },
    history: { pushState: nothing, replaceState: nothing, state: null, length: 1 },
    localStorage: storage(), sessionStorage: storage(),
    process: {
      env: { NODE_ENV: "production" }, argv: [], version: "v22.0.0", versions: {}, platform: "linux", browser: true,
      cwd: () => "/", nextTick: nothing, on: nothing, once: nothing, off: nothing, emit: nothing, stdout: {}, stderr: {},
    },
    global: globalThis, window: globalThis, self: globalThis, top: globalThis, parent: globalThis,
    innerWidth: 1024, innerHeight: 768, devicePixelRatio: 1, scrollX: 0, scrollY: 0,
    performance: { now: () => 0, mark: nothing, measure: nothing, timeOrigin: 0 },
    setTimeout: () => 0, clearTimeout: nothing, setInterval: () => 0, clearInterval: nothing, setImmediate: () => 0,
    requestAnimationFrame: () => 0, cancelAnimationFrame: nothing, requestIdleCallback: () => 0,
    addEventListener: nothing, removeEventListener: nothing, dispatchEvent: () => true, postMessage: nothing,
    matchMedia: () => ({ matches: false, media: "", addListener: nothing, removeListener: nothing,
      addEventListener: nothing, removeEventListener: nothing }),
    getComputedStyle: () => ({ ...style }), scrollTo: nothing, fetch: () => new Promise(nothing),
    crypto: { getRandomValues: (array) => array, randomUUID: () => "00000000-0000-4000-8000-000000000000", subtle: {} },
  };
  for (const name of keys(given)) {
    try {
      Object.defineProperty(globalThis, name, { value: given[name], writable: true, configurable: true });
    } catch { /* what the engine holds fast stays */ }
  }
  // Classes that packages extend or test against.
  for (const name of [
    "Node", "Element", "HTMLElement", "SVGElement", "HTMLInputElement", "HTMLCanvasElement", "Document", "Window", "Event",
    "CustomEvent", "EventTarget", "MouseEvent", "KeyboardEvent", "MutationObserver", "ResizeObserver",
    "IntersectionObserver", "DOMParser", "XMLHttpRequest", "WebSocket", "Worker", "Image", "Blob", "File", "FileReader",
    "FormData", "Headers", "Request", "Response", "URL", "URLSearchParams", "AbortController", "TextEncoder",
    "TextDecoder", "MessageChannel", "CSSStyleSheet", "ShadowRoot", "DocumentFragment", "Text", "Comment", "Range",
    "Selection", "NodeList", "HTMLCollection", "NodeFilter", "XMLSerializer", "HTMLAnchorElement", "HTMLAudioElement",
    "HTMLBodyElement", "HTMLButtonElement", "HTMLDivElement", "HTMLDocument", "HTMLFormElement", "HTMLIFrameElement",
    "HTMLImageElement", "HTMLLinkElement", "HTMLMediaElement", "HTMLOptionElement", "HTMLScriptElement",
    "HTMLSelectElement", "HTMLSpanElement", "HTMLStyleElement", "HTMLTableElement", "HTMLTextAreaElement",
    "HTMLVideoElement", "SVGSVGElement", "SVGGraphicsElement", "UIEvent", "PointerEvent", "TouchEvent", "WheelEvent",
    "FocusEvent", "InputEvent", "DragEvent", "ClipboardEvent", "AnimationEvent", "TransitionEvent", "MessageEvent",
    "ErrorEvent", "ProgressEvent", "StorageEvent", "DOMRect", "DOMPoint", "DOMMatrix", "DOMException", "ImageData",
    "Path2D", "FontFace", "OffscreenCanvas", "CanvasRenderingContext2D", "WebGLRenderingContext",
    "WebGL2RenderingContext", "AudioContext", "Audio", "Option", "SharedWorker", "BroadcastChannel", "EventSource",
    "PerformanceObserver", "AbortSignal", "ReadableStream", "WritableStream", "TransformStream", "MediaSource",
    "MessagePort", "XPathResult",
  ]) {
    if (!(name in globalThis)) {
      globalThis[name] = class {
        addEventListener() {}
        removeEventListener() {}
        observe() {}
        disconnect() {}
        get port1() { return { postMessage: nothing }; }
        get port2() { return { postMessage: nothing }; }
      };
    }
  }

  globalThis.__ui4a_names = (bundle) => {
    delete globalThis.__ui4a_names;
    const module = { exports: {} };
    bundle.call(module.exports, module, module.exports, standIn);
    const { exports } = module;
    if (exports === null || (typeof exports !== "object" && typeof exports !== "function")) return "[]";
    const names = keys(exports);
    // Compilers mark an ES module with a name that is not enumerable.
    if (hasOwn(exports, "__esModule") && !names.includes("__esModule")) names.push("__esModule");
    return stringify(names);
  };
}
