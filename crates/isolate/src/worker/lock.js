// Takes away what reaches out of the runtime, before any code of a job. The engine keeps what it needs itself.
{
  const { deleteProperty, ownKeys } = Reflect;
  const ops = globalThis.Deno?.core?.ops ?? {};
  for (const name of ownKeys(ops)) deleteProperty(ops, name);
  for (const name of ["Deno", "__bootstrap", "__infra", "bootstrap", "WebAssembly", "Atomics", "SharedArrayBuffer"]) {
    deleteProperty(globalThis, name);
  }
}
