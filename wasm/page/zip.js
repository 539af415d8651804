// Zip archives, as far as models need them: stored and deflated entries, up to 4 GB.
const END = 0x06054b50, ENTRY = 0x02014b50;

/** A Map of paths to Blobs: the given files, and what is in those that are zip archives. */
export async function unpacked(given) {
  const files = new Map();
  for (const { path, file } of given) {
    if (!/\.zip$/i.test(path)) files.set(path, file);
    else for (const [inner, content] of await entriesOf(path, file)) files.set(inner, content);
  }
  return files;
}

const bytesOf = async (blob) => new DataView(await blob.arrayBuffer());

async function entriesOf(path, file) {
  const start = Math.max(0, file.size - 65557);
  const tail = await bytesOf(file.slice(start));
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== END) end -= 1;
  if (end < 0) throw new Error(`${path} is not a zip archive`);
  const count = tail.getUint16(end + 10, true);
  const size = tail.getUint32(end + 12, true);
  const offset = tail.getUint32(end + 16, true);
  if (count === 0xffff || offset === 0xffffffff) throw new Error(`${path} is a zip archive of more than 4 GB: unpack it first`);
  const directory = await bytesOf(file.slice(offset, offset + size));
  const found = [];
  for (let at = 0, number = 0; number < count; number += 1) {
    if (at + 46 > directory.byteLength || directory.getUint32(at, true) !== ENTRY) throw new Error(`${path} is damaged`);
    const flags = directory.getUint16(at + 8, true);
    const method = directory.getUint16(at + 10, true);
    const packed = directory.getUint32(at + 20, true);
    const lengths = [28, 30, 32].map((field) => directory.getUint16(at + field, true));
    const header = directory.getUint32(at + 42, true);
    const name = new TextDecoder().decode(new Uint8Array(directory.buffer, at + 46, lengths[0]));
    at += 46 + lengths[0] + lengths[1] + lengths[2];
    if (name.endsWith("/") || /(^|\/)(__MACOSX|\.DS_Store)(\/|$)/.test(name)) continue;
    if (flags & 1) throw new Error(`${path}: '${name}' is encrypted`);
    const local = await bytesOf(file.slice(header, header + 30));
    const data = header + 30 + local.getUint16(26, true) + local.getUint16(28, true);
    found.push([name, await content(path, name, method, file.slice(data, data + packed))]);
  }
  return found;
}

async function content(path, name, method, blob) {
  if (method === 0) return blob;
  if (method !== 8) throw new Error(`${path}: '${name}' is compressed by method ${method}; only deflate is supported`);
  return new Response(blob.stream().pipeThrough(new DecompressionStream("deflate-raw"))).blob();
}
