// CPU seconds of conversions by the program, in Node and in Chromium: node wasm/tests/times.mjs PREFIX...
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { inChromium } from "./chromium.mjs";
import { program, root, withFolder } from "./models.js";

const TIMES = 4;
const index = process.env.FLUID2ONNX_PACKAGE ?? path.join(root, "build/wasm/npm/index.js");
const { convert, load } = await import(index);

/** Waiting does not count, so that other programs on the machine matter little. */
async function seconds(action) {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

const native = (prefix) =>
  withFolder((folder) => {
    const words = ["-c", 'TIMEFORMAT="%U %S"; time "$@" >/dev/null', "bash", program, "convert", prefix + ".pdmodel", "-o", path.join(folder, "m.onnx")];
    const [user, system] = spawnSync("bash", words, { encoding: "utf8" }).stderr.trim().split(" ").map(Number);
    return user + system;
  });

const text = (numbers) => numbers.map((number) => number.toFixed(2)).join(", ") + " s";

console.log(`Node compiles the module: ${text([await seconds(load)])}`);
for (const prefix of process.argv.slice(2)) {
  const paths = Object.fromEntries([".pdmodel", ".pdiparams"].map((suffix) => [path.basename(prefix) + suffix, prefix + suffix]).filter(([, file]) => existsSync(file)));
  const files = Object.fromEntries(Object.entries(paths).map(([name, file]) => [name, new Uint8Array(readFileSync(file))]));
  const node = [];
  for (let i = 0; i < TIMES; i += 1) node.push(await seconds(() => convert(files)));
  const chromium = await inChromium(path.dirname(index.startsWith("file:") ? fileURLToPath(index) : index), paths, TIMES);
  console.log(`${path.basename(prefix)}: program ${text(Array.from({ length: TIMES }, () => native(prefix)))}; Node ${text(node)}; Chromium ${text(chromium.seconds)}`);
}
