// Takes away what reaches out of the runtime, before any code of a job.
"use strict";
{
  const core = globalThis.Deno?.core;
  if (core) delete core.ops;
  for (const name of ["Deno", "__bootstrap", "__infra", "bootstrap", "WebAssembly", "Atomics", "SharedArrayBuffer"]) {
    delete globalThis[name];
  }
}
