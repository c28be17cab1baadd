// Light, dark or as the system says: kept in this browser, told to whoever listens (the sandboxes).

import { el, icon, type IconName } from "./dom.js";

export type Theme = "light" | "dark";
type Choice = Theme | "system";

const KEY = "ui4a-theme";
const NEXT: Record<Choice, Choice> = { system: "light", light: "dark", dark: "system" };
const LOOK: Record<Choice, [IconName, string]> = {
  system: ["system", "Theme: as the system"],
  light: ["sun", "Theme: light"],
  dark: ["moon", "Theme: dark"],
};

const dark = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<(theme: Theme) => void>();

function chosen(): Choice {
  const value = document.documentElement.dataset["theme"];
  return value === "light" || value === "dark" ? value : "system";
}

export function theme(): Theme {
  const choice = chosen();
  return choice === "system" ? (dark.matches ? "dark" : "light") : choice;
}

export function onTheme(listener: (theme: Theme) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const tell = (): void => listeners.forEach((listener) => listener(theme()));
dark.addEventListener("change", tell);

export function themeButton(): HTMLButtonElement {
  const button = el("button", { type: "button", class: "icon-button", onclick: () => choose(NEXT[chosen()]) });
  const show = (): void => {
    const [name, label] = LOOK[chosen()];
    button.replaceChildren(icon(name));
    button.setAttribute("aria-label", label);
    button.title = label;
  };
  const choose = (choice: Choice): void => {
    if (choice === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = choice;
    try {
      if (choice === "system") localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, choice);
    } catch {
      // A browser that keeps nothing still shows the choice until the page is left.
    }
    show();
    tell();
  };
  show();
  return button;
}
