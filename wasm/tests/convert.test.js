// The package in Node, against the program: the same bytes, the same problems.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { filesOf, modelFolders, runProgram, sample, withFolder } from "./models.js";

const { ConversionError, convert, inspect, load, operators, setModule } = await import(process.env.FLUID2ONNX_PACKAGE ?? "../../build/wasm/npm/index.js");

const sameBytes = (mine, theirs, name) => assert.ok(Buffer.from(mine).equals(Buffer.from(theirs)), `${name} differs: ${mine.length} and ${theirs.length} bytes`);

function sameFiles(mine, theirs) {
  assert.deepEqual(Object.keys(mine).sort(), Object.keys(theirs).sort());
  for (const [name, bytes] of Object.entries(theirs)) sameBytes(mine[name], bytes, name);
}

const without = ({ seconds, output, data_path, model, params, ...report }) => report;

for (const folder of modelFolders()) {
  test(`${path.basename(folder)}: to ONNX and back`, async () => {
    const files = filesOf(folder);
    const found = await convert(files);
    const wanted = runProgram(folder, ".", found.name);
    assert.equal(wanted.status, 0);
    sameFiles(found.files, wanted.files);
    assert.deepEqual(without(found.report), without(wanted.json));

    for (const format of ["pdmodel", "json"]) {
      let back;
      try {
        back = await convert({ [found.name]: found.model }, { format });
      } catch (error) {
        assert.ok(error instanceof ConversionError, error);
        back = error;
      }
      const theirs = withFolder((onnx) => {
        writeFileSync(path.join(onnx, found.name), found.model);
        return runProgram(onnx, found.name, found.name.replace(/onnx$/, format));
      });
      if (back instanceof ConversionError) {
        assert.equal(back.exitStatus, theirs.status);
        assert.deepEqual(back.problems, theirs.json.errors);
      } else {
        assert.equal(theirs.status, 0);
        sameFiles(back.files, theirs.files);
      }
    }
  });
}

test("options", async () => {
  const files = filesOf(sample("jit"));
  const found = await convert(files, { opset: 13, precision: "float16", weights: "external", output: "half.onnx" });
  const wanted = runProgram(sample("jit"), ".", "half.onnx", ["--opset", "13", "--fp16", "--weights", "external"]);
  sameFiles(found.files, wanted.files);
  const name = found.report.inputs[0].name;
  const fixed = await convert(files, { inputShapes: { [name]: found.report.inputs[0].shape.map((dim) => (typeof dim === "number" ? dim : 2)) } });
  assert.equal(fixed.report.inputs[0].shape[0], 2);
  await assert.rejects(convert(files, { opsett: 13 }), { code: "E_USAGE" });
});

test("a refusal has all problems of the program", async () => {
  const wanted = runProgram(sample("axis_tensor"), ".", "m.onnx", ["--opset", "10"]);
  await assert.rejects(convert(filesOf(sample("axis_tensor")), { opset: 10 }), (error) => {
    assert.ok(error instanceof ConversionError);
    assert.equal(error.code, "E_OPSET");
    assert.deepEqual(error.problems, wanted.json.errors);
    assert.equal(error.lowestOpset, wanted.json.lowest_opset);
    assert.equal(error.exitStatus, 1);
    assert.match(error.message, /opset/);
    return true;
  });
});

test("parameters that are missing", async () => {
  const files = filesOf(sample("lstm"));
  delete files["model.pdiparams"];
  await assert.rejects(convert(files), { code: "E_NO_PARAMS", exitStatus: 3 });
  assert.match((await inspect(files)).warnings.join(), /missing/);
});

test("files that are no models", async () => {
  await assert.rejects(convert({ "model.pdmodel": new Uint8Array([1, 2, 3]) }), { exitStatus: 3 });
  await assert.rejects(convert({ "x.onnx": new TextEncoder().encode("no model") }), { code: "E_NOT_A_MODEL" });
  await assert.rejects(convert({}), { code: "E_NOT_FOUND" });
  await assert.rejects(convert({ "../x": new Uint8Array(1) }), { code: "E_USAGE" });
  await assert.rejects(convert({ x: "text" }), { code: "E_USAGE" });
});

test("a damaged model", async () => {
  const files = filesOf(sample("jit"));
  for (const length of [100, 5000, 20000]) {
    await assert.rejects(convert({ ...files, "model.pdmodel": files["model.pdmodel"].slice(0, length) }), (error) => error instanceof ConversionError && error.exitStatus === 3);
  }
});

test("two models in one folder", async () => {
  const files = filesOf(sample("multi_function"));
  await assert.rejects(convert(files), { code: "E_MANY_MODELS" });
  const found = await convert(files, { model: "model.score.pdmodel" });
  sameFiles(found.files, runProgram(sample("multi_function"), "model.score.pdmodel", "model.score.onnx").files);
});

test("files in whatever form", async () => {
  const files = filesOf(sample("jit"));
  const wanted = (await convert(files)).model;
  const forms = {
    map: new Map(Object.entries(files)),
    blobs: Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, new Blob([bytes])])),
    buffers: Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, bytes.slice().buffer])),
    folder: Object.fromEntries(Object.entries(files).map(([name, bytes]) => ["some/folder/" + name, bytes])),
    windows: Object.fromEntries(Object.entries(files).map(([name, bytes]) => ["some\\folder\\" + name, bytes])),
  };
  for (const [form, given] of Object.entries(forms)) sameBytes((await convert(given)).model, wanted, form);
  const blobs = await convert(files, { blobs: true });
  sameBytes(new Uint8Array(await blobs.model.arrayBuffer()), wanted, "blob");
  const alone = await convert(wanted, { model: "model" }).catch((error) => error);
  assert.ok(alone.files?.["model.pdmodel"] ?? alone instanceof ConversionError);
});

test("too large for WebAssembly", async () => {
  const large = new Blob([new Uint8Array(1)]);
  Object.defineProperty(large, "size", { value: 5e9 });
  await assert.rejects(convert({ "m.pdmodel": new Uint8Array(1), "m.pdiparams": large }), (error) => {
    assert.equal(error.code, "E_MEMORY");
    assert.match(error.message, /5\.0 GB.*4 GB/);
    assert.match(error.problems[0].hint, /pip install/);
    return true;
  });
});

test("progress", async () => {
  const stages = new Set();
  await convert(filesOf(sample("jit")), { progress: (stage, done, total) => stages.add(stage) && assert.ok(done <= total || total === 0) });
  assert.ok(stages.has("reading") && stages.has("writing"), [...stages].join());
});

test("inspection", async () => {
  const found = await inspect(filesOf(sample("jit")));
  assert.equal(found.conversion.ok, true);
  assert.equal(found.format, "program_desc");
  assert.ok(found.opsets.includes(17));
  assert.equal(found.html, undefined);
  assert.deepEqual((await inspect(filesOf(sample("jit")), { findOpsets: false })).opsets, []);
});

test("operators", async () => {
  const found = await operators();
  assert.ok(found.length > 500);
  assert.ok(found.some(({ op }) => op === "conv2d"));
});

test("calls at once, and the module from bytes", async () => {
  await load();
  const files = filesOf(sample("lstm"));
  const [one, two] = await Promise.all([convert(files), convert(files)]);
  sameBytes(one.model, two.model, "model");
  setModule(readFileSync(new URL(import.meta.resolve(process.env.FLUID2ONNX_PACKAGE ?? "../../build/wasm/npm/index.js").replace(/index\.js$/, "fluid2onnx.wasm"))));
  sameBytes((await convert(files)).model, one.model, "model");
});
