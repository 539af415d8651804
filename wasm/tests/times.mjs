// CPU seconds of conversions in Node, beside the program's: node wasm/tests/times.mjs PREFIX...
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { program, withFolder } from "./models.js";

const { convert, load } = await import(process.env.FLUID2ONNX_PACKAGE ?? "../../build/wasm/npm/index.js");

/** Waiting does not count, so that other programs on the machine matter little. */
async function seconds(action) {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) / 1e6).toFixed(2);
}

const native = (prefix) =>
  withFolder((folder) => {
    const words = ["-c", 'TIMEFORMAT="%U %S"; time "$@" >/dev/null', "bash", program, "convert", prefix + ".pdmodel", "-o", path.join(folder, "m.onnx")];
    const [user, system] = spawnSync("bash", words, { encoding: "utf8" }).stderr.trim().split(" ").map(Number);
    return (user + system).toFixed(2);
  });

console.log(`compiling the module: ${await seconds(load)} s`);
for (const prefix of process.argv.slice(2)) {
  const files = Object.fromEntries([".pdmodel", ".pdiparams"].map((suffix) => [path.basename(prefix) + suffix, new Uint8Array(readFileSync(prefix + suffix))]));
  const node = [];
  for (let i = 0; i < 4; i += 1) node.push(await seconds(() => convert(files)));
  console.log(`${path.basename(prefix)}: Node ${node.join(", ")} s; program ${[1, 2, 3].map(() => native(prefix)).join(", ")} s`);
}
