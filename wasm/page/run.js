// Runs an ONNX model by onnxruntime-web, which is loaded when it is first needed.
import { ARRAYS, readNpy, writeNpy } from "./npy.js";

let runtime = null;

async function load() {
  if (!runtime) {
    const ort = await import("./onnxruntime/ort.wasm.bundle.min.mjs");
    ort.env.wasm.numThreads = 1; // threads need HTTP headers that a static site may not set
    ort.env.wasm.wasmPaths = new URL("./onnxruntime/", import.meta.url).href;
    runtime = ort;
  }
  return runtime;
}

/**
 * `inputs`: [{name, dtype, dims, file}]; without a file, values are random. Returns the outputs' types, statistics and
 * files, and the time of the run.
 */
export async function runOnnx(model, inputs) {
  const ort = await load();
  const arrays = await Promise.all(inputs.map(arrayOf));
  const session = await ort.InferenceSession.create(new Uint8Array(await model.arrayBuffer()), { executionProviders: ["wasm"] });
  try {
    const feeds = Object.fromEntries(inputs.map(({ name, dtype }, number) => [name, new ort.Tensor(dtype, arrays[number].values, arrays[number].dims)]));
    const begin = performance.now();
    const results = await session.run(feeds);
    const milliseconds = performance.now() - begin;
    return { milliseconds, outputs: session.outputNames.map((name) => described(name, results[name])) };
  } finally {
    await session.release();
  }
}

async function arrayOf({ name, dtype, dims, file }) {
  if (!file) return { dims, values: randomValues(dtype, dims) };
  const array = readNpy(file.name, await file.arrayBuffer());
  if (array.dtype !== dtype) throw new Error(`${file.name} has ${array.dtype} values, and the input ${name} takes ${dtype}`);
  return array;
}

function randomValues(dtype, dims) {
  const kind = ARRAYS[dtype];
  if (!kind) throw new Error(`inputs of type ${dtype} are not made here`);
  const values = new kind(dims.reduce((product, dim) => product * dim, 1));
  const big = dtype === "int64" || dtype === "uint64";
  for (let i = 0; i < values.length; i += 1) {
    if (dtype === "float16") values[i] = 0x3800 + Math.floor(Math.random() * 0x400); // 0.5 to 1
    else if (dtype.startsWith("float")) values[i] = Math.random();
    else values[i] = big ? BigInt(Math.random() < 0.5) : Number(Math.random() < 0.5);
  }
  return values;
}

function described(name, tensor) {
  const type = `${tensor.type}[${tensor.dims.join(", ")}]`;
  if (tensor.type === "string") return { name, type };
  // Where the browser has Float16Array, its bits are the same.
  const file = writeNpy(tensor.type, tensor.dims, tensor.data);
  if (!tensor.data.length) return { name, type, file };
  let least = Infinity, greatest = -Infinity, sum = 0;
  for (const raw of tensor.data) {
    const value = tensor.type === "float16" && tensor.data instanceof Uint16Array ? halfToNumber(raw) : Number(raw);
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
    sum += value;
  }
  return { name, type, file, least, greatest, mean: sum / tensor.data.length };
}

function halfToNumber(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? (fraction ? NaN : Infinity) : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}
