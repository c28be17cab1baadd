// Workers of packages.
//
// A frame's origin is opaque, so no address is of the same origin, and a worker can only start from a `blob:`. A package's
// worker is a script of its own below `/m/`: a blob that does nothing but load it starts it.

const installWorkers = () => {
  if (typeof W.Worker !== "function") return;
  const started = (address: unknown, options: Any): [unknown, Any] => {
    let url = String(address);
    try {
      url = new URL(url, D.baseURI).href;
    } catch {
      return [address, options];
    }
    if (!url.startsWith(`${location.origin}/m/`)) return [address, options];
    const script = new Blob([`importScripts(${writeJson(url)});`], { type: "text/javascript" });
    // What is served there is bundled into a classic script, whatever its package says of it.
    return [URL.createObjectURL(script), { ...options, type: "classic" }];
  };
  const constructed = new Proxy(W.Worker, {
    construct: (target, [address, options], newTarget) => Reflect.construct(target, started(address, options), newTarget),
  });
  define(W, "Worker", { value: constructed, writable: true, configurable: true });
};
