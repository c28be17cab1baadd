// `/embed.js`: turns `<div data-ui4a-embed="http://…/embed/…">` on any page into the artifact, as tall as it needs to be.
// A classic script of another page: no imports, no exports, no names left behind.

{
  const MOST_HEIGHT = 20_000;

  const embed = (place: HTMLElement): void => {
    const address = place.dataset["ui4aEmbed"];
    if (!address || place.dataset["ui4aDone"]) return;
    let url: URL;
    try {
      url = new URL(address, document.baseURI);
    } catch {
      return;
    }
    if (url.protocol !== "https:" && url.protocol !== "http:") return;
    place.dataset["ui4aDone"] = "yes";
    const theme = place.dataset["theme"];
    if (theme === "light" || theme === "dark") url.searchParams.set("theme", theme);
    const frame = document.createElement("iframe");
    frame.src = url.href;
    frame.title = place.dataset["title"] ?? "Interface";
    frame.loading = "lazy";
    frame.allow = "clipboard-write";
    frame.style.cssText = "display:block;width:100%;height:240px;border:0";
    addEventListener("message", (event) => {
      if (event.source !== frame.contentWindow || event.origin !== url.origin) return;
      const message = event.data as { type?: unknown; height?: unknown } | null;
      if (message?.type === "ui4a:size" && typeof message.height === "number" && message.height > 0) {
        frame.style.height = `${Math.min(Math.ceil(message.height), MOST_HEIGHT)}px`;
      } else if (message?.type === "ui4a:action") {
        place.dispatchEvent(new CustomEvent("ui4a:action", { detail: message, bubbles: true }));
      }
    });
    place.append(frame);
  };

  const all = (): void => document.querySelectorAll<HTMLElement>("[data-ui4a-embed]").forEach(embed);
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", all, { once: true });
  else all();
}
