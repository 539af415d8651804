// The WebAssembly module: compiled once, with an instance for each call. Memory of WebAssembly never shrinks, and an
// instance that ran out of it cannot be used again.
import { sizeOf } from "./files.js";
import instantiate from "./fluid2onnx.mjs";

const MOST_AT_ONCE = 512e6; // bytes that are read into memory besides WebAssembly's; each read of a Blob takes milliseconds
const MOST_OF_BLOB = 1 << 26; // bytes of one read of a larger Blob

let compiled = null;
let given = null;

/** Where the module comes from, for bundlers that move files: its address, its bytes, or the compiled module. */
export function setModule(source) {
  given = source;
  compiled = null;
}

export function compile() {
  compiled ??= load(given ?? new URL("./fluid2onnx.wasm", import.meta.url)).catch((error) => {
    compiled = null;
    throw error;
  });
  return compiled;
}

async function load(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  const url = source instanceof URL ? source : new URL(source, import.meta.url);
  if (url.protocol === "file:" && typeof process === "object") {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: HTTP status ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** An instance with these files in its current folder, and an empty folder /out. */
export async function makeInstance(list, progress) {
  const module = await compile();
  const instance = await instantiate({
    progress,
    print: () => {},
    printErr: () => {},
    instantiateWasm(imports, receive) {
      WebAssembly.instantiate(module, imports).then((made) => receive(made, module));
      return {};
    },
  });
  const { FS } = instance;
  FS.mkdir("/in");
  FS.mkdir("/out");
  if (typeof FileReaderSync === "undefined" || list.reduce((sum, { data }) => sum + sizeOf(data), 0) <= MOST_AT_ONCE) {
    for (const { path, data } of list) {
      const slash = path.lastIndexOf("/");
      if (slash > 0) FS.mkdirTree("/in/" + path.slice(0, slash));
      const bytes = data instanceof Uint8Array ? data : new Uint8Array(await data.arrayBuffer());
      FS.writeFile("/in/" + path, bytes, { canOwn: true });
    }
  } else {
    // In a worker, large files are read as they are needed, piece by piece.
    const { WORKERFS } = FS.filesystems;
    const { read } = WORKERFS.stream_ops;
    WORKERFS.stream_ops.read = (stream, buffer, offset, length, position) => read(stream, buffer, offset, Math.min(length, MOST_OF_BLOB), position);
    const blobs = list.map(({ path, data }) => ({ name: path, data: data instanceof Uint8Array ? new Blob([data]) : data }));
    FS.mount(WORKERFS, { blobs }, "/in");
  }
  FS.chdir("/in");
  takeHighAddresses(FS);
  keepPieces(FS);
  return instance;
}

/** Emscripten 3.1.6 passes addresses above 2 GB as negative numbers. */
function takeHighAddresses(FS) {
  const { read, write } = FS;
  FS.read = (stream, buffer, offset, ...rest) => read(stream, buffer, offset >>> 0, ...rest);
  FS.write = (stream, buffer, offset, ...rest) => write(stream, buffer, offset >>> 0, ...rest);
}

/** What the converter appends to a file is kept in pieces: a growing array would be copied again and again. */
function keepPieces(FS) {
  const { stream } = FS.filesystems.MEMFS.ops_table?.file ?? {};
  if (!stream) return;
  const { write } = stream;
  FS.filesystems.MEMFS.ops_table.file.stream = {
    ...stream,
    write(target, buffer, offset, length, position, canOwn) {
      const { node } = target;
      if (canOwn || position !== node.usedBytes || (position > 0 && !node.pieces)) return write.call(this, target, buffer, offset, length, position, canOwn);
      (node.pieces ??= []).push(new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length).slice());
      node.usedBytes += length;
      node.timestamp = Date.now();
      return length;
    },
  };
}

/** The pieces of a file in /out. */
export function piecesOf(FS, path) {
  const node = FS.lookupPath(path).node;
  return node.pieces ?? [FS.readFile(path)];
}

/** Calls the converter, and returns its answer as text; null if there was no memory for it. */
export function call(instance, command, request) {
  const text = (value) => {
    const size = instance.lengthBytesUTF8(value) + 1;
    const at = instance._malloc(size);
    instance.stringToUTF8(value, at, size);
    return at;
  };
  const answer = instance._fluid2onnx_call(text(command), text(JSON.stringify(request)));
  return answer ? instance.UTF8ToString(answer) : null;
}
