// Builds elements. Text goes in as text nodes only: nothing here parses HTML.

type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

/** An element. `on…` functions are listeners, `true` is an empty attribute, `false` and `undefined` are left out. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as (event: Event) => void);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

// Paths on a 20 × 20 grid, drawn as strokes.
const ICONS = {
  menu: "M3 6h14M3 10h14M3 14h14",
  plus: "M10 4v12M4 10h12",
  send: "M10 16V4M5 9l5-5 5 5",
  stop: "M6 6h8v8H6z",
  expand: "M12 4h4v4M16 4l-5 5M8 16H4v-4M4 16l5-5",
  close: "M5 5l10 10M15 5L5 15",
  code: "M7 6l-4 4 4 4M13 6l4 4-4 4",
  reload: "M16 10a6 6 0 1 1-2-4.5M16 3v3h-3",
  copy: "M7 7h9v9H7zM13 7V4H4v9h3",
  download: "M10 3v9M6 9l4 4 4-4M4 16h12",
  sun: "M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6M10 2v2M10 16v2M2 10h2M16 10h2M4.5 4.5l1.4 1.4M14.1 14.1l1.4 1.4M4.5 15.5l1.4-1.4M14.1 5.9l1.4-1.4",
  moon: "M16 11.5A6.5 6.5 0 0 1 8.5 4a6.5 6.5 0 1 0 7.5 7.5z",
  system: "M3 4h14v9H3zM7 16h6M10 13v3",
  down: "M5 8l5 5 5-5",
  up: "M10 15V5M6 9l4-4 4 4",
  check: "M4 10l4 4 8-8",
  flag: "M6 17V4M6 4.5h8.5l-2 3.25 2 3.25H6",
} as const;

export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** A button with only an icon; `label` is its name and its tooltip. */
export function iconButton(name: IconName, label: string, onclick: () => void, props: Props = {}): HTMLButtonElement {
  return el("button", { type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...props }, icon(name));
}

/** Sets the text of `element` only when it differs, so that live regions stay quiet and selections stay. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Makes `parent`'s children exactly `wanted`, moving none that is in its place already. */
export function setChildren(parent: Element, wanted: Node[]): void {
  const keep = new Set(wanted);
  for (const child of [...parent.childNodes]) if (!keep.has(child)) child.remove();
  wanted.forEach((node, at) => {
    if (parent.childNodes[at] !== node) parent.insertBefore(node, parent.childNodes[at] ?? null);
  });
}

/** Runs `work` once in the next frame (or soon, in a hidden tab), however often it is asked for before. */
export function coalesce(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    const run = (): void => {
      if (!asked) return;
      asked = false;
      work();
    };
    if (document.hidden) setTimeout(run, 50);
    else requestAnimationFrame(run);
  };
}

export function required<T extends Element>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (!element) throw new Error(`The page has no ${selector}.`);
  return element;
}
