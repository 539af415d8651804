// The files of a model, in whatever form the caller has them.
import { failure } from "./errors.js";

/** Pointers have 32 bits; the converter needs some memory besides the files. */
export const MOST_BYTES = 4_000_000_000;
export const MEMORY_HINT = "use the program, which has no such limit: pip install fluid2onnx";

/** @returns {{path: string, data: Uint8Array | Blob}[]} */
export function fileList(files) {
  if (isContent(files)) return fileList({ [typeof files.name === "string" ? files.name : "model"]: files });
  let entries;
  if (files instanceof Map) entries = [...files];
  else if (typeof files?.[Symbol.iterator] === "function") entries = [...files].map((file) => [file.webkitRelativePath || file.name, file]);
  else entries = Object.entries(files ?? {});
  const list = entries.map(([path, content]) => ({ path: safePath(path), data: bytesOf(path, content) }));
  if (!list.length) throw failure("E_NOT_FOUND", "no files were given", "pass the model's files by their names", 3);
  const total = list.reduce((sum, { data }) => sum + sizeOf(data), 0);
  if (total > MOST_BYTES) {
    throw failure("E_MEMORY", `the files have ${(total / 1e9).toFixed(1)} GB, and WebAssembly can use 4 GB of memory`, MEMORY_HINT, 3);
  }
  return list;
}

export const sizeOf = (data) => (data instanceof Uint8Array ? data.byteLength : data.size);

function isContent(value) {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value) || (typeof Blob !== "undefined" && value instanceof Blob);
}

function bytesOf(path, content) {
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  if (ArrayBuffer.isView(content)) return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
  if (isContent(content)) return content;
  throw failure("E_USAGE", `the content of '${path}' is neither bytes nor a Blob`, null, 2);
}

/** Relative, with "/", and within the folder. The converter would end a name at a zero byte. */
function safePath(path) {
  const parts = String(path).split(/[\\/]+/).filter((part) => part !== "" && part !== ".");
  if (!parts.length || parts.includes("..") || String(path).includes("\0")) {
    throw failure("E_USAGE", `'${path}' is not the path of a file within a folder`, null, 2);
  }
  return parts.join("/");
}

/** The file that is the model, if names alone tell; "." leaves it to the converter, which looks into files. */
export function chooseModel(list) {
  if (list.length === 1) return list[0].path;
  for (const suffixes of [[".pdmodel", "__model__"], [".json"], [".onnx"]]) {
    const found = list.filter(({ path }) => suffixes.some((suffix) => path === suffix || path.endsWith(suffix.startsWith(".") ? suffix : "/" + suffix)));
    if (found.length === 1) return found[0].path;
    if (found.length > 1) return commonFolder(list);
  }
  return commonFolder(list);
}

function commonFolder(list) {
  const folders = new Set(list.map(({ path }) => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".")));
  return folders.size === 1 ? [...folders][0] : ".";
}

/** As default_output() and default_program() of the converter. */
export function resultName(model, format) {
  const parts = model.split("/");
  let name = parts.pop();
  if (name === "__model__" || name === "__model__.json") name = parts.pop() ?? "model";
  if (name === ".") name = "model";
  const stem = name.replace(/\.(pdmodel|json|onnx)$/, "") || "model";
  return stem + (name.endsWith(".onnx") || format ? (format === "json" ? ".json" : ".pdmodel") : ".onnx");
}
