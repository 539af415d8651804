// Seconds of conversions in Node, beside the program's: node wasm/tests/times.mjs PREFIX...
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { program, withFolder } from "./models.js";

const { convert, load } = await import(process.env.FLUID2ONNX_PACKAGE ?? "../../build/wasm/npm/index.js");

const best = async (times, action) => {
  let least = Infinity;
  for (let i = 0; i < times; i += 1) {
    const begin = performance.now();
    await action();
    least = Math.min(least, performance.now() - begin);
  }
  return (least / 1000).toFixed(3);
};

const start = performance.now();
await load();
console.log(`compiling the module: ${((performance.now() - start) / 1000).toFixed(3)} s`);
for (const prefix of process.argv.slice(2)) {
  const files = Object.fromEntries([".pdmodel", ".pdiparams"].map((suffix) => [path.basename(prefix) + suffix, new Uint8Array(readFileSync(prefix + suffix))]));
  const node = await best(5, () => convert(files));
  const native = await withFolder((folder) => best(5, () => spawnSync(program, ["convert", prefix + ".pdmodel", "-o", path.join(folder, "m.onnx")])));
  console.log(`${path.basename(prefix)}: Node ${node} s, program ${native} s`);
}
