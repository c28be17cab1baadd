// Colours as numbers, and their contrast as WCAG 2 defines it.

/** Red, green, blue from 0 to 255, alpha from 0 to 1. */
type Rgba = [number, number, number, number];

const knownColors = new Map<string, Rgba>();
const COLORS_KNOWN_AT_MOST = 500;
let painter: Any = null;

/** A computed colour in any notation: painted, and read back. */
const rgba = (color: string): Rgba => {
  const known = knownColors.get(color);
  if (known) return known;
  const plain = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(color);
  let value: Rgba;
  if (plain) {
    value = [Number(plain[1]), Number(plain[2]), Number(plain[3]), plain[4] === undefined ? 1 : Number(plain[4])];
  } else {
    painter ??= createElementOf(D, "canvas").getContext("2d", { willReadFrequently: true });
    painter.clearRect(0, 0, 1, 1);
    painter.fillStyle = "rgba(0, 0, 0, 0)";
    painter.fillStyle = color;
    painter.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = painter.getImageData(0, 0, 1, 1).data;
    value = [red, green, blue, alpha / 255];
  }
  if (knownColors.size > COLORS_KNOWN_AT_MOST) knownColors.clear();
  knownColors.set(color, value);
  return value;
};

/** `over` painted on `under`. */
const blend = (over: Rgba, under: Rgba): Rgba => {
  const alpha = over[3] + under[3] * (1 - over[3]);
  if (alpha === 0) return [0, 0, 0, 0];
  const part = (at: 0 | 1 | 2) => (over[at] * over[3] + under[at] * under[3] * (1 - over[3])) / alpha;
  return [part(0), part(1), part(2), alpha];
};

const luminance = (color: Rgba): number => {
  const part = (at: 0 | 1 | 2) => {
    const value = color[at] / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2);
};

const contrast = (a: Rgba, b: Rgba): number => {
  const [bright, dark] = [luminance(a), luminance(b)].sort((one, other) => other - one);
  return (bright + 0.05) / (dark + 0.05);
};

const hex = (color: Rgba): string =>
  "#" + [color[0], color[1], color[2]].map((value) => Math.round(value).toString(16).padStart(2, "0")).join("");
