// The list of Claude Code sessions on this machine, by project, the newest first.

import { api, ApiError, type TranscriptSummary } from "./api.js";
import { el, required } from "./dom.js";
import { ago } from "./sessions.js";
import { themeButton } from "./theme.js";

const place = required<HTMLElement>("#list");
required("#theme").append(themeButton());

try {
  const { transcripts } = await api.transcripts();
  place.replaceChildren(...(transcripts.length > 0 ? byProject(transcripts) : [nothing()]));
} catch (error) {
  place.replaceChildren(el("p", { class: "problem", role: "alert" }, error instanceof ApiError ? error.message : String(error)));
}
place.setAttribute("aria-busy", "false");

function byProject(transcripts: TranscriptSummary[]): HTMLElement[] {
  const newest = [...transcripts].sort((a, b) => b.updated_at.localeCompare(a.updated_at));
  return [...Map.groupBy(newest, (one) => one.project).values()].map((group) =>
    el(
      "section",
      { class: "project" },
      el("h2", { title: group[0]!.cwd ?? group[0]!.project }, group[0]!.cwd ?? group[0]!.project),
      el("ul", {}, ...group.map(row)),
    ),
  );
}

function row(one: TranscriptSummary): HTMLElement {
  const count = one.artifacts === 0 ? "" : one.artifacts === 1 ? "1 interface" : `${one.artifacts} interfaces`;
  return el(
    "li",
    {},
    el(
      "a",
      { href: `/transcripts/${encodeURIComponent(one.project)}/${encodeURIComponent(one.session)}`, class: "row" },
      el("span", { class: "row-title" }, one.title || "Untitled"),
      count && el("span", { class: "row-count" }, count),
      el("time", { datetime: one.updated_at, class: "row-time" }, ago(one.updated_at)),
    ),
  );
}

function nothing(): HTMLElement {
  return el("p", { class: "side-note" }, "There are no Claude Code sessions in ~/.claude/projects.");
}
