// The page of `inspect --html`: one file that loads nothing. parts.js has its template and libraries, from the Python
// package; scripts/wasm writes it.
import { failure } from "../errors.js";
import { Spelt, ascii, parse } from "./json.js";
import { onnxGraph } from "./onnx_graph.js";
import { paddleGraph } from "./paddle_graph.js";
import { libraries, script, style, template } from "./parts.js";

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
const escaped = (text) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]);

/** `text`: the inspection's JSON, with all operators; `found`: the same, parsed. */
export function drawing(text, found, readFile) {
  const title = found.model.split("/").pop();
  const graph = found.format === "onnx" ? onnxGraph(title, readFile(found.model)) : paddleGraph(parse(text), readFile);
  if (!graph) throw failure("E_NOT_A_MODEL", `${found.model}: not an ONNX model`, null, 3);
  const parts = { title: escaped(graph.title), style, model: serialised(graph), libraries, script };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
}

/** As json.dumps(), in ASCII; "</script>" and "<!--" in names would end the element that holds the text. */
function serialised(graph) {
  return ascii(textOf(graph)).replaceAll("<", "\\u003c");
}

function textOf(value) {
  if (Array.isArray(value)) return "[" + value.map(textOf).join(",") + "]";
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (value instanceof Spelt) return value.text;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  return "{" + entries.map(([key, inner]) => `${JSON.stringify(key)}:${textOf(inner)}`).join(",") + "}";
}
