// The drawn graph is that of `fluid2onnx inspect --html`, byte by byte. PYTHON names a Python that has fluid2onnx.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { filesOf, modelFolders, program, root, sample, withFolder } from "./models.js";

const base = process.env.FLUID2ONNX_PACKAGE ?? "../../build/wasm/npm/index.js";
const { convert, inspect } = await import(base);
const { dumps, floatText, parse, shortText } = await import(base.replace(/index\.js$/, "graph/json.js"));
const { sizeText } = await import(base.replace(/index\.js$/, "graph/graph.js"));
const python = process.env.PYTHON ?? "python3";
const environment = { ...process.env, PYTHONPATH: path.join(root, "python"), FLUID2ONNX: program };

function pageOf(folder, model, options = []) {
  return withFolder((work) => {
    const file = path.join(work, "page.html");
    const done = spawnSync(python, ["-m", "fluid2onnx.page.command", model, "--html", file, ...options], { cwd: folder, env: environment, encoding: "utf8" });
    assert.ok(done.status === 0 || done.status === 1, done.stderr);
    return readFileSync(file, "utf8");
  });
}

function same(mine, theirs) {
  if (mine === theirs) return;
  const at = [...mine].findIndex((character, position) => character !== theirs[position]);
  assert.fail(`differs at ${at}:\n${mine.slice(Math.max(0, at - 80), at + 80)}\n--- program\n${theirs.slice(Math.max(0, at - 80), at + 80)}`);
}

for (const folder of modelFolders()) {
  test(`${path.basename(folder)}: the page`, async () => {
    const files = filesOf(folder);
    same((await inspect(files, { html: true })).html, pageOf(folder, "."));
    const { name, model } = await convert(files);
    same(
      (await inspect({ [name]: model }, { html: true })).html,
      withFolder((work) => {
        writeFileSync(path.join(work, name), model);
        return pageOf(work, name);
      }),
    );
  });
}

test("with problems", async () => {
  const found = await inspect(filesOf(sample("axis_tensor")), { html: true, opset: 10 });
  same(found.html, pageOf(sample("axis_tensor"), ".", ["--opset", "10"]));
});

test("numbers as Python writes them", () => {
  const numbers = [0, -0, 1, 0.1, 1e-5, 1e-4, 123456.789, 1e15, 1e16, 1e22, 5e-324, 1.7976931348623157e308, 1 / 3, 100, 2.5, 1e6, 999999.5, 0.00012345678, -3.5e-10];
  const code = "import sys,json\nfor x in json.load(sys.stdin): x=float(x); print(repr(x), f'{x:g}')";
  const done = spawnSync(python, ["-c", code], { input: JSON.stringify(numbers.map((x) => (Object.is(x, -0) ? "-0" : String(x)))), encoding: "utf8" });
  assert.deepEqual(numbers.map((number) => `${floatText(number)} ${shortText(number)}`), done.stdout.trim().split("\n"));
});

test("sizes as Python writes them", () => {
  const sizes = [0, 999, 1000, 1250, 1350, 1050, 1750, 123456, 1e6, 2_250_000, 5e12];
  const code = "import sys,json\nfrom fluid2onnx.page.graph import size_text\nfor x in json.load(sys.stdin): print(size_text(x))";
  const done = spawnSync(python, ["-c", code], { input: JSON.stringify(sizes), encoding: "utf8", env: environment });
  assert.deepEqual(sizes.map(sizeText), done.stdout.trim().split("\n"));
});

test("JSON keeps its order and spelling", () => {
  assert.equal(dumps(parse('{"b":1.0,"12":[1e-05,12345678901234567890,"a:1.5\\"x"],"2":{"x":null,"y":true}}')), '{"b": 1.0, "12": [1e-05, 12345678901234567890, "a:1.5\\"x"], "2": {"x": null, "y": true}}');
});
