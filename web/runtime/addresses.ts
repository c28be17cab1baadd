// The addresses of the artifact: scripts, style sheets, fonts, images that it names on other places of the web.
//
// The compiled text holds a token where an address stood; here is what takes its place: the file that the server keeps of
// it, or an address that leads nowhere and still tells what was meant. An image need not be there when its element is
// written: its place is kept, and filled when it comes. Loads addresses below `/m/` (in a page of its own: `blob:`) alone.

interface Address {
  state: ImportState["state"];
  url: string;
}

const addresses: Dict<Address> = dict();
const TOKEN = /ui4a-address:([A-Za-z0-9._~%-]+);/g;
const KEY_WITH_ROLE = /^(script|style|asset):(https?:[^]*)$/;
/** One transparent pixel. */
const PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";
const OUTSIDE = /https?:\/\/[^\s"'()<>]+/g;

/** Whether what the host tells of a specifier is an address to write, and no module to load. */
const isAddress = (specifier: string) => kind === "html" || KEY_WITH_ROLE.test(specifier);

const keyOf = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
};
const tokenOf = (key: string) =>
  `ui4a-address:${encodeURIComponent(key).replace(/[!'()*]/g, (char) => "%" + char.charCodeAt(0).toString(16).toUpperCase())};`;

/** An address that loads nothing and says what it stands for. */
const nowhere = (key: string) =>
  "about:invalid#" + encodeURI(KEY_WITH_ROLE.exec(key)?.[2] ?? key).replace(/['()]/g, (char) => "%" + char.charCodeAt(0).toString(16));

/** What takes a token's place: null while that is not known. */
const resolved = (key: string): string | null => {
  // What the frame itself provides has no file.
  if (!addresses[key] && builtins[key]) addresses[key] = { state: "ready", url: moduleAddress(key, builtins[key]()) };
  const address = addresses[key];
  if (address?.url) return new URL(address.url, D.location.href).href;
  if (tableClosed || (address && address.state !== "resolving")) return nowhere(key);
  return null;
};

/** The same for what must be written now. */
const resolvedNow = (key: string): string => resolved(key) ?? (key.startsWith("asset:") ? `${PIXEL}#${tokenOf(key)}` : nowhere(key));

const withAddresses = (source: string): string => source.replace(TOKEN, (_, encoded) => resolvedNow(keyOf(encoded)));

/** Whether every token of a text can be replaced for good. */
const allResolved = (source: string): boolean => Array.from(source.matchAll(TOKEN)).every(([, encoded]) => resolved(keyOf(encoded)) !== null);

const ADDRESS_ATTRIBUTES = ["src", "srcset", "poster", "href", "xlink:href", "background", "style"];
const WAITING = ["src", "srcset", "poster", "href", "background", "style"].map((name) => `[${name}*="ui4a-address:"]`).join(",");

/** Fills the places that were kept for an address. */
const fillKept = (key: string) => {
  const place = `${PIXEL}#${tokenOf(key)}`;
  const address = resolvedNow(key);
  for (const element of D.querySelectorAll(WAITING)) {
    for (const name of ADDRESS_ATTRIBUTES) {
      const value = element.getAttribute(name);
      if (value?.includes(place)) element.setAttribute(name, value.replaceAll(place, address));
    }
  }
  for (const sheet of D.querySelectorAll("style")) {
    if (sheet.textContent?.includes(place)) setText(sheet, sheet.textContent.replaceAll(place, address));
  }
};

const addressSettled = (key: string) => {
  if (missed.has(key) && addresses[key].url) return askRemount("what the document went on without has come");
  if (key.startsWith("asset:")) fillKept(key);
  documentMayGoOn();
  if (kind === "svg" || kind === "markdown") scheduleRender();
};

const applyAddress = (key: string, next: ImportState) => {
  const old = addresses[key];
  const url = next.state === "ready" && next.url && MODULE_URL.test(next.url) ? next.url : "";
  if (old && old.state === next.state && old.url === url) return;
  addresses[key] = { state: next.state, url };
  if (next.state !== "resolving") addressSettled(key);
};

const replacedIn = (value: string): string =>
  value.replace(OUTSIDE, (address) => {
    const key = `asset:${address}`;
    return addresses[key] ? resolvedNow(key) : address;
  });

/** The properties of an element with the addresses that its module named replaced by those of their files. */
const withOwnAddresses = (type: unknown, props: Any): Any => {
  if (props === null || typeof props !== "object") return props;
  let changed: Any = null;
  const change = (name: string, value: unknown) => {
    changed ??= { ...props };
    changed[name] = value;
  };
  const names = type === "image" || type === "feImage" ? ["href", "xlinkHref"] : ["src", "srcSet", "poster"];
  for (const name of names) {
    const value = props[name];
    if (typeof value === "string" && value.includes("://")) change(name, replacedIn(value));
  }
  const style = props.style;
  if (style !== null && typeof style === "object") {
    for (const name in style) {
      if (typeof style[name] === "string" && style[name].includes("://")) change("style", { ...(changed?.style ?? style), [name]: replacedIn(style[name]) });
    }
  }
  return changed ?? props;
};
