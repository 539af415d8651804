// NumPy's files of one array: reads those of simple types in C order, and writes them.
const TYPES = {
  "<f4": "float32", "<f8": "float64", "<f2": "float16", "|i1": "int8", "|u1": "uint8", "<i2": "int16", "<u2": "uint16",
  "<i4": "int32", "<u4": "uint32", "<i8": "int64", "<u8": "uint64", "|b1": "bool",
};
const MAGIC = "\x93NUMPY";

export const ARRAYS = {
  float32: Float32Array, float64: Float64Array, float16: Uint16Array, int8: Int8Array, uint8: Uint8Array, int16: Int16Array,
  uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array, uint64: BigUint64Array, bool: Uint8Array,
};

/** {dtype, dims, values} of the file `name`. */
export function readNpy(name, buffer) {
  const bytes = new Uint8Array(buffer);
  const latin = (from, to) => String.fromCharCode(...bytes.subarray(from, to));
  if (bytes.length < 12 || latin(0, 6) !== MAGIC) throw new Error(`${name} is not a NumPy file (.npy)`);
  const view = new DataView(buffer);
  const start = bytes[6] === 1 ? 10 : 12;
  const end = start + (bytes[6] === 1 ? view.getUint16(8, true) : view.getUint32(8, true));
  const header = latin(start, Math.min(end, start + 1000));
  const [, descr] = /'descr':\s*'([^']*)'/.exec(header) ?? [];
  const [, shape] = /'shape':\s*\(([^)]*)\)/.exec(header) ?? [];
  const dtype = TYPES[descr];
  if (!dtype || shape === undefined) throw new Error(`${name}: arrays of type ${descr ?? "unknown"} are not supported`);
  if (!/'fortran_order':\s*False/.test(header)) throw new Error(`${name} is in Fortran order: save np.ascontiguousarray() of it`);
  const dims = shape.split(",").map((dim) => dim.trim()).filter(Boolean).map(Number);
  const count = dims.reduce((product, dim) => product * dim, 1);
  const kind = ARRAYS[dtype];
  if (bytes.length - end !== count * kind.BYTES_PER_ELEMENT) throw new Error(`${name} is damaged: its shape does not fit its size`);
  return { dtype, dims, values: new kind(buffer.slice(end)) };
}

/** A Blob of the file. */
export function writeNpy(dtype, dims, values) {
  const descr = Object.keys(TYPES).find((key) => TYPES[key] === dtype);
  const header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${dims.map((dim) => `${dim},`).join(" ")}), }`;
  const padded = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + "\n";
  const length = new Uint8Array([1, 0, padded.length & 255, padded.length >> 8]);
  return new Blob([Uint8Array.from(MAGIC, (char) => char.charCodeAt(0)), length, padded, new Uint8Array(values.buffer, values.byteOffset, values.byteLength)]);
}
