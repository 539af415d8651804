// Runs an ONNX model by onnxruntime-web, which is loaded when it is first needed.

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

const ARRAYS = {
  float32: Float32Array, float64: Float64Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array,
  int64: BigInt64Array, uint64: BigUint64Array, bool: Uint8Array, float16: Uint16Array,
};

/** `shapes`: [{name, dtype, dims}]. Returns the outputs' types and statistics, and the time of the run. */
export async function runOnnx(model, shapes) {
  const ort = await load();
  const session = await ort.InferenceSession.create(new Uint8Array(await model.arrayBuffer()), { executionProviders: ["wasm"] });
  try {
    const feeds = Object.fromEntries(shapes.map(({ name, dtype, dims }) => [name, new ort.Tensor(dtype, randomValues(dtype, dims), dims)]));
    const begin = performance.now();
    const results = await session.run(feeds);
    const milliseconds = performance.now() - begin;
    return { milliseconds, outputs: session.outputNames.map((name) => statistics(name, results[name])) };
  } finally {
    await session.release();
  }
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

function statistics(name, tensor) {
  const type = `${tensor.type}[${tensor.dims.join(", ")}]`;
  if (tensor.type === "string" || !tensor.data.length) return { name, type };
  let least = Infinity, greatest = -Infinity, sum = 0;
  for (const raw of tensor.data) {
    const value = tensor.type === "float16" && tensor.data instanceof Uint16Array ? halfToNumber(raw) : Number(raw);
    least = Math.min(least, value);
    greatest = Math.max(greatest, value);
    sum += value;
  }
  return { name, type, least, greatest, mean: sum / tensor.data.length };
}

function halfToNumber(bits) {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : exponent === 31 ? (fraction ? NaN : Infinity) : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}
