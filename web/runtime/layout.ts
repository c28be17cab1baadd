// What is wrong with how a whole revision looks, measured once it has come to rest: blank, without height, wider than the
// frame, out of reach, cut off, too pale to read.
//
// Looks at a bounded number of elements, in slices between other tasks, and only reads. What cannot be judged, such as text
// on a picture or one that is still moving, is passed over: a finding must be right.

const LAYOUT_AFTER_MS = 450;
/** Imports that do not come do not hold it up for ever. */
const TRIES_AT_MOST = 40;
const LAYOUT_SLICE_MS = 4;
const LAYOUT_BUDGET_MS = 20;
const ELEMENTS_AT_MOST = 1500;
/** So many are looked at on the busiest machine. */
const ELEMENTS_AT_LEAST = 100;
const FINDINGS_AT_MOST = 12;
const FINDINGS_OF_A_KIND = 4;
const QUOTE_LENGTH = 60;

/** The host's surface in each theme, which a transparent frame shows. */
const HOST_SURFACE: Dict<Rgba> = { light: [255, 255, 255, 1], dark: [29, 29, 27, 1] };
const NO_TEXT = /^(SCRIPT|STYLE|TEMPLATE|NOSCRIPT|TITLE|HEAD)$/i;
const PICTURES = "svg,canvas,img,video,iframe,object,embed";
const OWN_NOTES = ".ui4a-skeleton,.ui4a-stub,.ui4a-error,.ui4a-toast";

interface LayoutLook {
  what: Shown;
  spent: number;
  findings: Dict[];
  counts: Dict<number>;
  said: Set<string>;
  walker: TreeWalker;
  looked: number;
  moving: Set<Any>;
  width: number;
}

let layoutTimer = 0;
let layoutDone = "";

/** Looks once the revision is whole, its imports are there, and what moves in at the start has had time to. */
const lookAtLayout = (what: Shown, tries = 0) => {
  clearTimer(layoutTimer);
  if (!what.complete || sendAlone || layoutDone === `${what.rev} ${what.frame}`) return;
  layoutTimer = setTimer(() => {
    if (pendingCount > 0 && tries < TRIES_AT_MOST) lookAtLayout(what, tries + 1);
    else startLook(what);
  }, LAYOUT_AFTER_MS);
};

const startLook = (what: Shown) => {
  const root = kind === "html" ? D.body : mountPoint();
  if (!root || latest?.rev !== what.rev || latest.frame !== what.frame) return;
  layoutDone = `${what.rev} ${what.frame}`;
  const walker = D.createTreeWalker(root, NodeFilter.SHOW_ELEMENT, (node: Any) =>
    NO_TEXT.test(node.nodeName) || node.matches(OWN_NOTES) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  const moving = new Set<Any>();
  for (const animation of D.getAnimations?.() ?? []) if (animation.playState === "running") moving.add((animation.effect as Any)?.target);
  const look: LayoutLook = { what, spent: 0, findings: [], counts: dict(), said: new Set(), walker, looked: 0, moving, width: D.documentElement.clientWidth };
  // A frame that is not laid out, in a hidden page, has no layout to speak of.
  if (look.width === 0) return tellLook(look);
  if (shown.complete && isBlank()) find(look, "layout-blank", root, "Nothing is visible: no text, no picture, no coloured box.");
  soon(() => sliceLook(look));
};

const sliceLook = (look: LayoutLook) => {
  const from = now();
  let node: Any = null;
  try {
    while (now() - from < LAYOUT_SLICE_MS) {
      node = look.walker.nextNode();
      if (node === null || look.looked >= ELEMENTS_AT_MOST) break;
      look.looked += 1;
      lookAtElement(look, node);
    }
  } catch {
    node = null; // the artifact changed what this stands on: what was found so far is told
  }
  look.spent += now() - from;
  const more = look.looked < ELEMENTS_AT_LEAST || (look.looked < ELEMENTS_AT_MOST && look.spent < LAYOUT_BUDGET_MS);
  if (node !== null && more && look.findings.length < FINDINGS_AT_MOST) soon(() => sliceLook(look));
  else tellLook(look);
};

const tellLook = (look: LayoutLook) => {
  const fields = dict();
  Object.assign(fields, { rev: look.what.rev, frame: look.what.frame, sights: look.findings, looked: look.looked, ms: Math.round(look.spent * 10) / 10 });
  send("layout", fields);
};

const find = (look: LayoutLook, code: string, element: Any, message: string, help = "") => {
  look.counts[code] = (look.counts[code] ?? 0) + 1;
  if (look.counts[code] > FINDINGS_OF_A_KIND || look.findings.length >= FINDINGS_AT_MOST) return;
  const sight = dict();
  const owner = ownerOf(element);
  Object.assign(sight, {
    code,
    message,
    help,
    tag: String(element.localName ?? ""),
    text: quote(element),
    classes: String(element.getAttribute?.("class") ?? "").slice(0, 200),
    component: owner?.name ?? "",
    cell: owner?.cell ?? "",
  });
  look.findings.push(sight);
};

/** The first words that stand directly in an element, or in what is inside it. */
const quote = (element: Any): string => {
  const direct = Array.from(element.childNodes as NodeList, (node: Any) => (node.nodeType === 3 ? node.nodeValue : "")).join(" ");
  return (direct.trim() ? direct : String(element.textContent ?? "")).replace(/\s+/g, " ").trim().slice(0, QUOTE_LENGTH);
};

const named = (element: Any): string => {
  const words = quote(element);
  return words ? `“${words}”` : `<${element.localName}>`;
};

const hasOwnText = (element: Any): boolean => {
  for (let node = element.firstChild; node; node = node.nextSibling) if (node.nodeType === 3 && node.nodeValue.trim() !== "") return true;
  return false;
};

const lookAtElement = (look: LayoutLook, element: Any) => {
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return;
  // A part of a picture is laid out by the picture.
  if (element.ownerSVGElement) return;
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const ownText = hasOwnText(element);
  lookForHeight(look, element, box, style);
  if (box.width <= 1 || box.height <= 1) return; // text for screen readers
  lookForPlace(look, element, box, style, ownText);
  if (ownText) {
    lookForClipping(look, element, style);
    lookForContrast(look, element, box, style);
  }
};

/** A picture, or a box that takes a share of its parent's height, and has none. */
const lookForHeight = (look: LayoutLook, element: Any, box: DOMRect, style: CSSStyleDeclaration) => {
  if (box.height >= 1 || box.width < 1 || element.hidden || element.getAttribute("aria-hidden") === "true") return;
  const share = /%$/.test(element.style?.height ?? "") && element.childElementCount <= 1 && element.textContent === "";
  const picture = element.matches(PICTURES) && !(element.localName === "img" && !element.naturalWidth);
  if ((!share && !picture) || style.position === "fixed" || isCollapsed(element) || isMoving(look, element)) return;
  const help = "Give it, or what it stands in, a height in pixels.";
  find(look, "layout-zero-height", element, `<${element.localName}> has no height, so nothing of it is seen.`, help);
};

/** Closed panels keep their content in a box without height. */
const isCollapsed = (element: Any): boolean => {
  for (let at = element.parentElement; at; at = at.parentElement) {
    if (at.dataset?.state === "closed" || at.getAttribute("aria-hidden") === "true" || at.hidden) return true;
    if (at.clientHeight === 0 && getComputedStyle(at).overflowY !== "visible") return true;
  }
  return false;
};

const isMoving = (look: LayoutLook, element: Any): boolean => {
  if (look.moving.size === 0) return false;
  for (let at = element; at; at = at.parentElement) if (look.moving.has(at)) return true;
  return false;
};

/** Wider than the frame, or left and above of where anyone can scroll. */
const lookForPlace = (look: LayoutLook, element: Any, box: DOMRect, style: CSSStyleDeclaration, ownText: boolean) => {
  if (box.right > look.width + 1 && box.left < look.width) {
    const parent = element.parentElement?.getBoundingClientRect();
    const outermost = !parent || parent.right <= look.width + 1;
    if (outermost && !isScrolled(element, true) && !isMoving(look, element)) {
      const over = Math.round(box.right - look.width);
      const help = "Let it wrap or shrink (flex-wrap, min-w-0, max-w-full), or put it into a box with overflow-x-auto.";
      find(look, "layout-overflow", element, `${named(element)} is ${over} px wider than the frame of ${look.width} px.`, help);
    }
  }
  const unreachable = box.right <= 0 || box.bottom + W.scrollY <= 0;
  const wanted = ownText || element.matches("button,input,select,textarea,img,a[href]");
  if (!unreachable || !wanted || /^#/.test(element.getAttribute("href") ?? "")) return;
  // Far away on purpose, for screen readers; or moved away until it is asked for.
  if (box.right < -900 || box.bottom < -900 || element.closest("[aria-hidden=true],[inert],[data-state=closed]")) return;
  if (style.clip !== "auto" || isMovedAway(element) || isScrolled(element, false) || isMoving(look, element)) return;
  find(look, "layout-off-screen", element, `${named(element)} lies outside of the frame, where nobody can scroll to.`, "Remove the negative position.");
};

const isMovedAway = (element: Any): boolean => {
  for (let at = element; at && at !== D.body; at = at.parentElement) {
    const { transform, translate } = getComputedStyle(at);
    if (transform !== "none" || (translate && translate !== "none")) return true;
  }
  return false;
};

/** Whether something around an element scrolls it, or cuts it off on purpose. */
const isScrolled = (element: Any, sideways: boolean): boolean => {
  for (let at = element.parentElement; at && at !== D.body && at !== D.documentElement; at = at.parentElement) {
    const style = getComputedStyle(at);
    if (style.position === "fixed") return true;
    if ((sideways ? style.overflowX : `${style.overflowX} ${style.overflowY}`) !== (sideways ? "visible" : "visible visible")) return true;
  }
  return false;
};

/** Text that its own box cuts off without saying so. */
const lookForClipping = (look: LayoutLook, element: Any, style: CSSStyleDeclaration) => {
  if (element.matches("input,textarea,select,option")) return;
  const clips = (overflow: string) => overflow === "hidden" || overflow === "clip";
  const wide = clips(style.overflowX) && style.textOverflow !== "ellipsis" && element.scrollWidth > element.clientWidth + 2;
  const lines = (style as Any).webkitLineClamp;
  const high = clips(style.overflowY) && (!lines || lines === "none") && element.scrollHeight > element.clientHeight + 4;
  if ((!wide && !high) || element.clientHeight === 0 || isMoving(look, element)) return;
  find(look, "layout-overflow", element, `${named(element)} is cut off by its own box.`, "Let the box grow, or say that there is more with an ellipsis.");
};

const AA = 4.5;
const AA_LARGE = 3;
/** What is lost in rounding is no fault. */
const ROUNDING = 0.05;

const lookForContrast = (look: LayoutLook, element: Any, box: DOMRect, style: CSSStyleDeclaration) => {
  if (element.matches(":disabled,[aria-disabled=true],option") || element.closest("[aria-disabled=true],[aria-hidden=true],:disabled")) return;
  if (style.textShadow !== "none" || (style as Any).webkitTextFillColor !== style.color || (style as Any).backgroundClip === "text") return;
  const under = backgroundOf(element, box);
  if (!under || isMoving(look, element)) return;
  const [red, green, blue, alpha] = rgba(style.color);
  const text: Rgba = blend([red, green, blue, alpha * under.opacity], under.color);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  const [least, found] = [large ? AA_LARGE : AA, contrast(text, under.color)];
  if (found >= least - ROUNDING) return;
  const pair = `${hex(text)} on ${hex(under.color)}`;
  if (look.said.has(pair)) return;
  look.said.add(pair);
  const message = `${named(element)} has a contrast of ${found.toFixed(1)} (${pair}); text of this size needs ${least}.`;
  find(look, "layout-low-contrast", element, message, "Use a darker text on light backgrounds, a lighter one on dark backgrounds.");
};

/** What an element's text stands on; null where that is not one colour. */
const backgroundOf = (element: Any, box: DOMRect): { color: Rgba; opacity: number } | null => {
  const layers: Rgba[] = [];
  let opacity = 1;
  let at = element;
  for (; at; at = at.parentElement) {
    const style = getComputedStyle(at);
    const filters = (style as Any).backdropFilter;
    if (style.backgroundImage !== "none" || style.mixBlendMode !== "normal" || style.filter !== "none" || (filters && filters !== "none")) return null;
    const color = rgba(style.backgroundColor);
    if (color[3] > 0) layers.push(color);
    // A box that fades together with its text is neither colour.
    if (style.opacity !== "1" && layers.length > 0) return null;
    opacity *= Number(style.opacity);
    if (color[3] === 1) break;
    // What floats stands on whatever is below it, which need not be what is around it.
    if (style.position === "absolute" || style.position === "fixed") return null;
  }
  if (isCovered(element, at, box)) return null;
  let color: Rgba = HOST_SURFACE[D.documentElement.dataset.theme ?? "light"] ?? HOST_SURFACE.light;
  for (const layer of layers.reverse()) color = blend(layer, color);
  return { color, opacity };
};

/** Whether a picture or another box lies between an element and the one that paints its background. */
const isCovered = (element: Any, base: Any, box: DOMRect): boolean => {
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  if (x < 0 || y < 0 || x >= W.innerWidth || y >= W.innerHeight) return false;
  for (const other of D.elementsFromPoint(x, y) as Any[]) {
    if (other === element || other.contains(element)) {
      if (other === base) return false;
      continue;
    }
    if (element.contains(other)) continue;
    if (other.matches(PICTURES) || other.ownerSVGElement) return true;
    const style = getComputedStyle(other);
    if (style.backgroundImage !== "none" || rgba(style.backgroundColor)[3] > 0) return true;
  }
  return false;
};
