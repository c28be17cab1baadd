// Runs before the first paint, as a classic script: the kept theme must not flash. No imports, no exports.

{
  let kept: string | null = null;
  try {
    kept = localStorage.getItem("ui4a-theme");
  } catch {
    // No storage: the system's theme.
  }
  if (kept === "light" || kept === "dark") document.documentElement.dataset["theme"] = kept;
}
