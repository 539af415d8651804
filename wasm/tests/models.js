// The models of the tests, and what the program makes of them: the truth.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";

export const root = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "../..");
export const program = process.env.FLUID2ONNX ?? path.join(root, "build/release/bin/fluid2onnx");
const samples = path.join(root, "tests/data/models");
const zoo = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache"), "fluid2onnx/models");

/** The files of a folder by their paths in it. */
export function filesOf(folder) {
  const found = {};
  for (const entry of readdirSync(folder, { recursive: true })) {
    const file = path.join(folder, entry);
    if (statSync(file).isFile() && !/\.npz$|^meta\.json$/.test(entry)) found[entry] = new Uint8Array(readFileSync(file));
  }
  return found;
}

/** Folders with one model each: all samples, and whole networks where tests/models has made them. */
export function modelFolders() {
  const folders = [];
  for (const base of [samples, path.join(samples, "pir")]) {
    for (const name of readdirSync(base)) {
      const folder = path.join(base, name);
      if (name === "pir" || name === "multi_function" || !statSync(folder).isDirectory()) continue;
      folders.push(folder);
    }
  }
  for (const name of ["mobilenet_v2", "detection_head", "static_vgg_separate", "transformer_encoder"]) {
    if (existsSync(path.join(zoo, name))) folders.push(path.join(zoo, name));
  }
  return folders;
}

export const sample = (name) => path.join(samples, name);

export function withFolder(action) {
  const folder = mkdtempSync(path.join(tmpdir(), "f2o-"));
  try {
    return action(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the program in a folder with these files; its results by name, or its JSON. */
export function runProgram(files, model, output, options = []) {
  return withFolder((folder) => {
    const made = path.join(folder, "made");
    execFileSync("mkdir", [made]);
    const done = spawnSync(program, ["convert", model, "-o", path.join(made, output), "--json", ...options], { cwd: files, encoding: "utf8" });
    return { status: done.status, json: JSON.parse(done.stdout), files: filesOf(made) };
  });
}
