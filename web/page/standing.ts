// Which revision of an artifact stands: a worse one must not take the place of a picture that works.
// Pure: no DOM, no network. Asks only what the log tells, so a reload shows what live showed.

import type { Artifact, Revision } from "./model.js";

/** Errors that leave the picture as it was. */
const BESIDE = new Set(["effect", "handler", "promise", "resource"]);

/** Whether a whole revision shows nothing of its own: it does not compile, is blank, or threw before it was drawn. */
export function fails(revision: Revision): boolean {
  if (revision.broken || (revision.closed && revision.diagnostics.some(({ severity, phase }) => severity === "error" && phase === "syntax"))) return true;
  const report = revision.report;
  if (!report || report.frame < revision.frame) return false;
  if (report.status === "blank") return true;
  return report.status === "error" && (report.errors.length === 0 || report.errors.some(({ phase }) => !BESIDE.has(phase)));
}

/** The newest revision; where that fails or was cut off, the last one before it that was seen to work, if there is one. */
export function standing(artifact: Artifact): number {
  const newest = artifact.revisions.get(artifact.newest);
  if (!newest?.closed || (!fails(newest) && !newest.truncated)) return artifact.newest;
  return before(artifact, artifact.newest, (revision) => revision.report?.status === "rendered") ?? artifact.newest;
}

/** What is shown while `rev` is being written: the last revision before it that is whole, and works if one does. */
export function meanwhile(artifact: Artifact, rev: number): Revision | undefined {
  const at = before(artifact, rev, (revision) => !revision.truncated) ?? before(artifact, rev, () => true);
  return at === undefined ? undefined : artifact.revisions.get(at);
}

function before(artifact: Artifact, rev: number, fits: (revision: Revision) => boolean): number | undefined {
  for (let at = rev - 1; at > 0; at -= 1) {
    const revision = artifact.revisions.get(at);
    if (revision?.complete && !fails(revision) && fits(revision)) return at;
  }
  return undefined;
}
