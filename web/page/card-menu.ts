// What else can be done with an artifact: files to keep, the lines that show it on another page, and not running it.

import { api } from "./api.js";
import { el, icon, setText } from "./dom.js";
import type { Artifact } from "./model.js";

/** `exportable`: whether the server has the artifact. `safe` opens it without running it. */
export function cardMenu(artifact: Artifact, exportable: boolean, safe: () => void): HTMLDetailsElement {
  const kind = artifact.revisions.get(artifact.newest)?.kind ?? "tsx";
  const file = (label: string, format: "html" | "tsx"): HTMLElement =>
    el("a", { href: api.exportUrl(artifact.id, format), download: true, onclick: () => (menu.open = false) }, label);
  const embed = el("button", { type: "button", onclick: () => void copyEmbed(artifact, embed) }, COPY);
  const stop = (): void => {
    menu.open = false;
    safe();
  };
  const menu = el(
    "details",
    { class: "menu" },
    el("summary", { class: "icon-button", "aria-label": "Save, embed, stop", title: "Save, embed, stop" }, icon("download")),
    el(
      "div",
      { class: "menu-items" },
      exportable && file("Page that works offline", "html"),
      exportable && kind === "tsx" && file("Source file", "tsx"),
      exportable && embed,
      el("button", { type: "button", onclick: stop }, "Open without running"),
    ),
  );
  menu.addEventListener("focusout", (event) => {
    if (!menu.contains(event.relatedTarget as Node | null)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    event.preventDefault(); // the larger view stays open
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  return menu;
}

const COPY = "Copy embed code";

/** Anyone who has the lines can see the artifact, from this machine: the address holds the only secret. */
async function copyEmbed(artifact: Artifact, button: HTMLButtonElement): Promise<void> {
  try {
    const { url } = await api.share(artifact.id);
    const lines = [`<div data-ui4a-embed="${url}"></div>`, `<script src="${new URL(url).origin}/embed.js" async></script>`];
    await navigator.clipboard.writeText(lines.join("\n"));
    setText(button, "Copied");
  } catch (error) {
    setText(button, error instanceof Error ? error.message : String(error));
  }
  setTimeout(() => setText(button, COPY), 3000);
}
