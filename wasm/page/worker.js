// Converts and runs models, so that the page stays responsive. One message in, any number of "progress", one answer.
import { ConversionError, convert, inspect } from "./fluid2onnx/index.js";
import { unpacked } from "./zip.js";
import { runOnnx } from "./run.js";

let files = [];
let onnx = null; // the ONNX model that can be run: the result, or the file itself

const actions = {
  async open({ given }) {
    onnx = null;
    files = await unpacked(given);
    return { files: [...files].map(([path, file]) => ({ path, size: file.size })) };
  },
  async inspect({ options, html, findOpsets }, progress) {
    const found = await inspect(files, { ...options, html, findOpsets, progress });
    if (found.format === "onnx") onnx = files.get(found.model) ?? null;
    return { found };
  },
  async convert({ options }, progress) {
    const { name, files: results, report } = await convert(files, { ...options, blobs: true, progress });
    if (report.to === "onnx") onnx = Object.keys(results).length === 1 ? results[name] : null;
    return { results, report, runnable: onnx !== null };
  },
  run: ({ inputs }) => runOnnx(onnx, inputs),
};

onmessage = async ({ data }) => {
  try {
    let last = 0;
    const progress = (stage, done, total) => {
      const now = performance.now();
      if (now - last < 50 && done !== total) return;
      last = now;
      postMessage({ kind: "progress", stage, done, total });
    };
    postMessage({ kind: "answer", ...(await actions[data.action](data, progress)) });
  } catch (error) {
    const problems = error instanceof ConversionError ? error.problems : [];
    postMessage({ kind: "failure", message: error.message ?? String(error), problems, lowestOpset: error.lowestOpset ?? null });
  }
};
