// What a document shows, as text that is the same for the same tree: numbers and made-up ids left out.
globalThis.__tree = (() => {
  const OWN = ".ui4a-skeleton,.ui4a-toast";
  const HIDDEN = /^(ui4a-(artifact|base|start)|recharts_measurement_span)$/;
  const plain = (text) => text.replace(/_r_[0-9a-z]+_|«r[0-9a-z]+»|:r[0-9a-z]+:/g, "#id").replace(/\d+(\.\d+)?(e-?\d+)?/g, "#");
  const write = (node) => {
    if (node.nodeType === 3) return plain(node.nodeValue);
    if (node.nodeType !== 1) return Array.from(node.childNodes ?? [], write).join("");
    if (/^SCRIPT$/i.test(node.nodeName) || HIDDEN.test(node.id) || node.matches(OWN)) return "";
    const attributes = Array.from(node.attributes, ({ name, value }) => ` ${name}="${plain(value)}"`).sort().join("");
    const shadow = node.shadowRoot ? `#shadow(${write(node.shadowRoot)})` : "";
    const value = "value" in node && typeof node.value === "string" ? ` =${plain(node.value)}` : "";
    const parts = Array.from((node.nodeName === "TEMPLATE" ? node.content : node).childNodes, write);
    // recharts puts its layers where they belong in the order in which its parts told it of themselves.
    const inside = (node.matches(".recharts-wrapper,.recharts-wrapper *") ? parts.sort() : parts).join("");
    return `<${node.nodeName.toLowerCase()}${attributes}${value}>${shadow}${inside}</>\n`;
  };
  return (top = document.body) => (top ? write(top) : "");
})();
