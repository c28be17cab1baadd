// How the frame looks from outside: theme, size, and whether there is anything to see.

const SIZE_PAUSE_MS = 60;
let lastWidth = -1;
let lastHeight = -1;
let measuring = 0;
let observer: ResizeObserver | null = null;

const mountPoint = (): HTMLElement | null => elementById(D, "root");

const applyTheme = (theme: unknown) => {
  themeName = theme === "dark" ? "dark" : "light";
  showTheme();
  // Diagrams are drawn in the colours of the theme.
  if (kind === "markdown" && latest) scheduleRender();
};
let themeName: "light" | "dark" = "light";

/** Written documents are light unless they say that they know better: most set one colour and trust the other. */
const showTheme = () => {
  const root = D.documentElement;
  if (!root) return;
  const theme = kind === "html" && !documentKnowsThemes() ? "light" : themeName;
  root.dataset.theme = theme;
  root.classList.toggle("dark", theme === "dark");
  root.style.colorScheme = theme;
  if (kind === "html") root.style.backgroundColor = theme === "light" ? "#fff" : "";
};

const OVERLAYS = "[role=dialog],[role=alertdialog],dialog[open],[role=menu],[role=listbox],[data-radix-popper-content-wrapper]";
const OVERLAY_MARGIN = 32;
const FULL_OVERLAY = 480;

/** What dialogs and menus need, which float above the content and do not stretch it. */
const overlayHeight = () => {
  let height = 0;
  for (const overlay of D.querySelectorAll<HTMLElement>(OVERLAYS)) {
    const box = overlay.getBoundingClientRect();
    if (box.height === 0) continue;
    const full = box.height >= W.innerHeight - 2;
    height = Math.max(height, full ? FULL_OVERLAY : box.height + OVERLAY_MARGIN);
  }
  return Math.ceil(height);
};

const MARGIN_DEPTH = 40;

/** The last child that takes room in the flow of its parent. */
const lastInFlow = (parent: Element): Element | null => {
  for (let child = parent.lastElementChild; child; child = child.previousElementSibling) {
    const { display, position } = getComputedStyle(child);
    if (display !== "none" && position !== "absolute" && position !== "fixed") return child;
  }
  return null;
};

/** Where the margin below the last of the content ends: it collapses through the boxes around it and is part of none. */
const marginsBelow = (body: Element): number => {
  let bottom = 0;
  let depth = 0;
  for (let at = lastInFlow(body); at && depth < MARGIN_DEPTH; at = lastInFlow(at), depth += 1) {
    const { display, overflowY, marginBottom, paddingBottom, borderBottomWidth } = getComputedStyle(at);
    bottom = Math.max(bottom, at.getBoundingClientRect().bottom + (parseFloat(marginBottom) || 0));
    const holds = (display !== "block" && display !== "list-item") || overflowY !== "visible";
    if (holds || parseFloat(paddingBottom) > 0 || parseFloat(borderBottomWidth) > 0) break;
  }
  return bottom;
};

/** The height that the content wants. Never depends on a box that is as tall as the frame, or the two would chase each other. */
const measure = () => {
  const root = D.documentElement;
  const body = D.body;
  if (!root || !body) return { width: 0, height: 0 };
  const width = root.clientWidth;
  if (root.scrollHeight > root.clientHeight) return { width, height: Math.ceil(root.scrollHeight) };
  const range = D.createRange();
  range.selectNodeContents(body);
  const style = getComputedStyle(body);
  const below = (parseFloat(style.paddingBottom) || 0) + (parseFloat(style.marginBottom) || 0);
  const bottom = Math.max(range.getBoundingClientRect().bottom, marginsBelow(body)) + below + W.scrollY;
  return { width, height: Math.max(Math.ceil(bottom), overlayHeight(), 0) };
};

const tellSize = () => {
  if (measuring) return;
  measuring = setTimer(() => {
    measuring = 0;
    const { width, height } = measure();
    if (Math.abs(height - lastHeight) < 1 && width === lastWidth) return;
    lastWidth = width;
    lastHeight = height;
    const fields = dict();
    fields.width = width;
    fields.height = height;
    send("size", fields);
  }, SIZE_PAUSE_MS);
};

let added: MutationObserver | null = null;

/** What grows far below the first of many children makes the body grow. */
const WATCHED_AT_MOST = 64;

/** Watches the body and what is directly inside it; overlays are put there when they open. */
const watchSize = () => {
  observer ??= new ResizeObserver(tellSize);
  observer.disconnect();
  added ??= new MutationObserver(() => {
    watchSize();
    tellSize();
  });
  added.disconnect();
  if (D.body) added.observe(D.body, { childList: true });
  if (D.documentElement) observer.observe(D.documentElement);
  if (D.body) observer.observe(D.body);
  const children = D.body?.children ?? [];
  for (let at = 0; at < children.length && at < WATCHED_AT_MOST; at += 1) observer.observe(children[at]);
};

const GRAPHICS = "img,svg,canvas,video,audio,iframe,input,textarea,select,button,meter,progress,hr,object,math";
const LOOKED_AT_MOST = 800;

/** Whether nothing can be seen: no text, no graphics, no coloured box. The frame's own notes do not count. */
const isBlank = (): boolean => {
  const top = kind === "html" ? D.body : mountPoint();
  if (!top) return true;
  const laidOut = D.documentElement.clientWidth > 0;
  let looked = 0;
  const walker = D.createTreeWalker(top, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node: Any) =>
    node.nodeType === 1 && (/^(SCRIPT|STYLE|TEMPLATE|NOSCRIPT)$/i.test(node.nodeName) || node.classList?.contains("ui4a-skeleton") || node.classList?.contains("ui4a-stub") || node.classList?.contains("ui4a-error"))
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  );
  for (let node: Any = walker.nextNode(); node && looked < LOOKED_AT_MOST; node = walker.nextNode(), looked += 1) {
    const element: Element = node.nodeType === 3 ? node.parentElement : node;
    if (node.nodeType === 3 && node.nodeValue.trim() === "") continue;
    if (!laidOut) {
      if (node.nodeType === 3 || element.matches(GRAPHICS)) return false;
      continue;
    }
    const box = element.getBoundingClientRect();
    if (box.width < 1 || box.height < 1) continue;
    if (!(element as Any).checkVisibility?.({ opacityProperty: true, visibilityProperty: true })) continue;
    if (node.nodeType === 3 || element.matches(GRAPHICS)) return false;
    const style = getComputedStyle(element);
    if (style.backgroundImage !== "none" || !/^(transparent|rgba\(.*, 0\))$/.test(style.backgroundColor) || parseFloat(style.borderTopWidth) > 0) return false;
  }
  return true;
};
