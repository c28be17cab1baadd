/** Spacing as models write it: a step of four pixels, a t-shirt size, or any CSS length. */

const NAMED: Record<string, string> = {
  none: "0px",
  xs: "4px",
  sm: "8px",
  md: "16px",
  lg: "24px",
  xl: "32px",
  "2xl": "48px",
};

/** Up to this number a spacing counts four-pixel steps; above it, nobody means steps but pixels. */
const MOST_STEPS = 12;

export function space(value: unknown): string | undefined {
  if (value === undefined || value === null || value === true || value === "") return undefined;
  if (value === false) return "0px";
  if (typeof value === "number") {
    if (!Number.isFinite(value) || value < 0) return undefined;
    return value > MOST_STEPS ? `${value}px` : `${value * 4}px`;
  }
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  if (text in NAMED) return NAMED[text];
  return /^\d+(\.\d+)?$/.test(text) ? space(Number(text)) : text;
}
