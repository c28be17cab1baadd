// What would leave the frame: links, windows and downloads. The host is asked; the frame itself never navigates.

const DOWNLOAD_LIMIT = 16 * 1024 * 1024;
const BLOBS_KEPT = 32;
const mayOpen = bucket(1, 3);
const mayDownload = bucket(1, 5);
// Kept here because pages revoke a blob's address right after the click.
const blobs = new Map<string, Blob>();

const openAddress = (address: string) => {
  let url: URL;
  try {
    url = new URL(address, D.baseURI);
  } catch {
    return;
  }
  if (!/^(https?|mailto):$/.test(url.protocol) || !isActivated() || !mayOpen()) return;
  const fields = dict();
  fields.url = url.href;
  send("open", fields);
};

const base64 = (bytes: Uint8Array) => {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
};

const download = async (name: string, address: string) => {
  if (!mayDownload()) return;
  try {
    const blob = blobs.get(address) ?? (/^(blob|data):/.test(address) ? await (await fetch(address)).blob() : null);
    if (!blob) return openAddress(address);
    if (blob.size > DOWNLOAD_LIMIT) throw new RangeError(`${name} is larger than ${DOWNLOAD_LIMIT} bytes`);
    const fields = dict();
    fields.name = (name || "download").slice(0, 200);
    fields.mime = blob.type;
    fields.bytes = base64(new Uint8Array(await blob.arrayBuffer()));
    send("download", fields);
  } catch (error) {
    report("handler", error);
  }
};

/** Goes to a part of the document: as the browser does it, but without a step in the visitor's history. */
const toFragment = (fragment: string) => {
  W.location.replace(fragment);
  const name = fragment.slice(1);
  let target: Element | null = null;
  try {
    target = elementById(D, decodeURIComponent(name)) ?? D.querySelector(`a[name="${CSS.escape(decodeURIComponent(name))}"]`);
  } catch {
    // a name with a broken escape leads nowhere
  }
  // The frame is as tall as its content: what scrolls is the page around it.
  if (name) target?.scrollIntoView({ block: "start" });
};

/** What a click on `anchor` would do outside the frame; null when it stays inside. */
const leave = (anchor: HTMLAnchorElement): (() => void) | null => {
  const written = anchor.getAttribute("href");
  if (written === null || /^\s*javascript:/i.test(written)) return null;
  const address = anchor.href;
  if (anchor.hasAttribute("download") || /^(blob|data):/.test(address)) {
    const name = anchor.getAttribute("download") ?? "";
    return () => void download(name, address);
  }
  if (written.trim().startsWith("#")) return () => toFragment(written.trim());
  // An address without a scheme points into the artifact's own site, which does not exist: the click does nothing.
  if (!/^\s*([a-z][a-z0-9+.-]*:|\/\/)/i.test(written)) return () => {};
  return () => openAddress(address);
};

/**
 * A click must reach the artifact's handlers with its link intact, yet never navigate, even when one of them stops the
 * event. A popup is refused by the sandbox, so for the time of the click the link targets one.
 */
const onClick = (event: Event) => {
  const target = event.composedPath()[0] as Any;
  const anchor = target?.closest?.("a[href],area[href]") as HTMLAnchorElement | null;
  const go = anchor && leave(anchor);
  if (!anchor || !go) return;
  const before = anchor.getAttribute("target");
  anchor.setAttribute("target", "_blank");
  soon(() => {
    if (before === null) anchor.removeAttribute("target");
    else anchor.setAttribute("target", before);
  });
  soon(() => void (event.defaultPrevented || go()));
};

/** A form goes nowhere: the policy refuses it, and in some cases by ending the document. Handlers have had their say. */
const onSubmit = (event: Event) => {
  if (!event.defaultPrevented) event.preventDefault();
};

const listenForLeaving = () => {
  listen(W, "submit", onSubmit);
  listen(W, "click", onClick, true);
  listen(W, "auxclick", onClick, true);
};

const installLeaving = () => {
  const make = URL.createObjectURL;
  URL.createObjectURL = (thing: Any) => {
    const address = make.call(URL, thing);
    if (thing instanceof Blob) {
      blobs.set(address, thing);
      if (blobs.size > BLOBS_KEPT) blobs.delete(blobs.keys().next().value!);
    }
    return address;
  };
  // An anchor that is in no document dispatches its click where no listener of ours is.
  const click = HTMLElement.prototype.click;
  HTMLElement.prototype.click = function (this: HTMLElement) {
    const go = this instanceof HTMLAnchorElement && !this.isConnected ? leave(this) : null;
    return go ? go() : click.call(this);
  };
  EventTarget.prototype.dispatchEvent = function (this: EventTarget, event: Event) {
    const go = event?.type === "click" && this instanceof HTMLAnchorElement && !this.isConnected ? leave(this) : null;
    if (!go) return dispatch(this, event);
    go();
    return true;
  };
  HTMLFormElement.prototype.submit = () => {};
  define(W, "open", {
    value: (address: unknown = "") => {
      if (address) openAddress(String(address));
      return null;
    },
    configurable: true,
    writable: true,
  });
};
