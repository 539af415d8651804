// fluid2onnx for JavaScript: see index.d.ts.
import { ConversionError, failure } from "./errors.js";
import { MEMORY_HINT, chooseModel, fileList, resultName } from "./files.js";
import { drawing } from "./graph/drawing.js";
import { call, compile, makeInstance, piecesOf, setModule } from "./module.js";
import { requestOf } from "./options.js";

export { ConversionError, setModule };

export async function load() {
  await compile();
}

export async function convert(files, options = {}) {
  const list = fileList(files);
  const model = options.model ?? chooseModel(list);
  const output = options.output ?? resultName(model, options.format);
  if (output.includes("/")) throw failure("E_USAGE", `'${output}' is not the name of a file`, null, 2);
  const instance = await makeInstance(list, options.progress);
  const report = answerOf(instance, "convert", { ...requestOf(options), model, output: "/out/" + output });
  const results = {};
  for (const name of instance.FS.readdir("/out")) {
    if (name === "." || name === "..") continue;
    const pieces = piecesOf(instance.FS, "/out/" + name);
    results[name] = options.blobs ? new Blob(pieces) : joined(pieces);
  }
  for (const key of ["output", "data_path"]) report[key] = report[key]?.replace(/^\/out\//, "") ?? null;
  return { name: output, model: results[output], files: results, report };
}

export async function inspect(files, options = {}) {
  const list = fileList(files);
  const model = options.model ?? chooseModel(list);
  const instance = await makeInstance(list, options.progress);
  const request = { ...requestOf(options), model };
  if (!options.html) return answerOf(instance, "inspect", request);
  const text = textOf(instance, "inspect", { ...request, list_ops: true });
  const found = checked(JSON.parse(text));
  const html = drawing(text, found, (path) => instance.FS.readFile(path));
  for (const key of ["op_list", "variables"]) delete found[key];
  return { ...found, html };
}

export async function operators() {
  return answerOf(await makeInstance([]), "operators", {});
}

function answerOf(instance, command, request) {
  return checked(JSON.parse(textOf(instance, command, request)));
}

function textOf(instance, command, request) {
  let text = null;
  try {
    text = call(instance, command, request);
  } catch (error) {
    // WebAssembly traps: a stack or memory that is exhausted, or a bug.
    if (error instanceof RangeError) throw failure("E_MEMORY", "not enough memory", MEMORY_HINT, 3);
    throw failure("E_INTERNAL", String(error?.message ?? error), "report this bug of fluid2onnx with the model", 1);
  }
  if (text === null) throw failure("E_MEMORY", "not enough memory", MEMORY_HINT, 3);
  return text;
}

function checked(answer) {
  if (answer.ok !== false) return answer;
  for (const problem of answer.errors) {
    if (problem.code === "E_MEMORY" && !problem.hint) {
      problem.hint = MEMORY_HINT;
      answer.text += `\n  hint: ${MEMORY_HINT}`;
    }
  }
  throw new ConversionError(answer);
}

function joined(pieces) {
  if (pieces.length === 1) return pieces[0];
  const all = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
