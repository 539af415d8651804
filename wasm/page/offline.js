// Service worker: keeps the page's files, so that the page opens without a network. With one, the newest files count.
const KEPT = "fluid2onnx-convert";
const FIRST = [
  "index.html", "page.css", "page.js", "client.js", "drop.js", "trial.js", "view.js", "worker.js", "zip.js", "run.js", "npy.js",
  "fluid2onnx/index.js", "fluid2onnx/errors.js", "fluid2onnx/files.js", "fluid2onnx/module.js", "fluid2onnx/options.js", "fluid2onnx/fluid2onnx.mjs", "fluid2onnx/fluid2onnx.wasm",
  "fluid2onnx/graph/drawing.js", "fluid2onnx/graph/graph.js", "fluid2onnx/graph/json.js", "fluid2onnx/graph/onnx_graph.js", "fluid2onnx/graph/paddle_graph.js",
  "fluid2onnx/graph/parts.js", "fluid2onnx/graph/scopes.js", "fluid2onnx/graph/wire.js",
];

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(FIRST)));
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event.request));
});

async function answer(request) {
  const cache = await caches.open(KEPT);
  try {
    const response = await fetch(request);
    // ONNX Runtime's files, too, once they were loaded.
    if (response.ok) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request.mode === "navigate" ? "index.html" : request, { ignoreSearch: true, ignoreVary: true });
    if (kept) return kept;
    throw error;
  }
}
