// The options of the package, as the converter's requests have them.
import { failure } from "./errors.js";

const NAMES = {
  opset: "opset",
  irVersion: "ir_version",
  inputShapes: "input_shapes",
  inputs: "inputs",
  outputs: "outputs",
  renames: "renames",
  dimNames: "dim_names",
  lod: "lod",
  weights: "weights",
  precision: "precision",
  halfIo: "half_io",
  float32Ops: "float32_ops",
  halfOps: "half_ops",
  fuse: "fuse",
  customOps: "custom_ops",
  continueOnError: "continue_on_error",
  params: "params",
  findOpsets: "find_opsets",
};
const OWN = new Set(["model", "output", "format", "progress", "html", "blobs"]);

export function requestOf(options) {
  const request = {};
  for (const [name, value] of Object.entries(options)) {
    if (OWN.has(name) || value === undefined) continue;
    if (!(name in NAMES)) throw failure("E_USAGE", `there is no option '${name}'`, `the options are ${[...Object.keys(NAMES), ...OWN].join(", ")}`, 2);
    request[NAMES[name]] = value;
  }
  return request;
}
