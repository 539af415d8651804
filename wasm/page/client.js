// The worker, as the page uses it: one request at a time.
export const STOPPED = Symbol("another request took its place");

let worker = null;
let reject = () => {};
let given = []; // the open files, which a new worker needs again

/** Ends the request that runs, if any: it fails with `reason`. */
export function stop(reason) {
  worker?.terminate();
  worker = null;
  reject(reason);
}

/** Resolves to the answer of the worker to `request`; a failure is thrown. `progress` receives what is done meanwhile. */
export async function ask(request, progress) {
  if (request.action === "open") given = request.given;
  else if (!worker) await send({ action: "open", given }, progress);
  return send(request, progress);
}

function send(request, progress) {
  worker ??= new Worker(new URL("worker.js", import.meta.url), { type: "module" });
  return new Promise((resolve, fail) => {
    reject = fail;
    worker.onmessage = ({ data }) => {
      if (data.kind === "progress") return progress(data);
      if (data.kind === "answer") return resolve(data);
      return fail(Object.assign(new Error(data.message), data));
    };
    worker.onerror = (event) => fail(new Error(event.message || "the worker could not be started"));
    worker.postMessage(request);
  });
}
