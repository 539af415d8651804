// Names of files in zip archives, and archives that the page refuses. Needs no WebAssembly.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { fileList } from "../npm/files.js";

// The page's folder has no package.json that declares its modules.
const source = readFileSync(new URL("../page/zip.js", import.meta.url), "utf8");
const { unpacked } = await import("data:text/javascript," + encodeURIComponent(source));

/** An archive of [name, text] pairs; `change` edits the view of each entry of its directory. */
function archive(entries, { change = () => {}, count = entries.length } = {}) {
  const encode = (text) => new TextEncoder().encode(text);
  const parts = [], directory = [];
  let offset = 0, size = 0;
  for (const [name, text] of entries) {
    const title = encode(name), data = encode(text);
    const local = new Uint8Array(30), entry = new Uint8Array(46);
    const header = new DataView(local.buffer), view = new DataView(entry.buffer);
    header.setUint32(0, 0x04034b50, true);
    header.setUint16(26, title.length, true);
    view.setUint32(0, 0x02014b50, true);
    view.setUint32(20, data.length, true);
    view.setUint32(24, data.length, true);
    view.setUint16(28, title.length, true);
    view.setUint32(42, offset, true);
    change(view);
    parts.push(local, title, data);
    directory.push(entry, title);
    offset += local.length + title.length + data.length;
    size += entry.length + title.length;
  }
  const end = new Uint8Array(22);
  const last = new DataView(end.buffer);
  last.setUint32(0, 0x06054b50, true);
  last.setUint16(10, count, true);
  last.setUint32(12, size, true);
  last.setUint32(16, offset, true);
  return new Blob([...parts, ...directory, end]);
}

const open = async (entries, options) => unpacked([{ path: "m.zip", file: archive(entries, options) }]);
const paths = async (...names) => fileList(await open(names.map((name) => [name, name]))).map(({ path }) => path);

test("names in an archive become paths of files", async () => {
  const files = await open([["a/m.pdmodel", "1"], ["a/", ""], ["__MACOSX/a/m.pdmodel", "2"], ["a/.DS_Store", "3"]]);
  assert.deepEqual([...files.keys()], ["a/m.pdmodel"]);
  assert.equal(await files.get("a/m.pdmodel").text(), "1");
  assert.deepEqual(await paths("a/m.pdmodel", "a//./b"), ["a/m.pdmodel", "a/b"]);
});

for (const name of ["../x", "a/../../x", "..\\x", "..", "a\0b", "x/\0"]) {
  test(`refuses the name ${JSON.stringify(name)}`, async () => {
    await assert.rejects(paths(name), { code: "E_USAGE" });
  });
}

test("absolute names are relative to the folder", async () => {
  assert.deepEqual(await paths("/x", "\\\\host\\share\\y", "C:\\z"), ["x", "host/share/y", "C:/z"]);
});

test("of two entries with one name, the last counts", async () => {
  const files = await open([["m", "first"], ["n", "other"], ["m", "last"]]);
  assert.deepEqual([...files.keys()], ["m", "n"]);
  assert.equal(await files.get("m").text(), "last");
});

test("refuses archives that it cannot read", async () => {
  await assert.rejects(unpacked([{ path: "m.zip", file: new Blob(["no zip"]) }]), /is not a zip archive/);
  await assert.rejects(open([["m", ""]], { change: (view) => view.setUint32(0, 0, true) }), /is damaged/);
  await assert.rejects(open([["m", ""]], { count: 2 }), /is damaged/);
  await assert.rejects(open([["m", ""]], { count: 0xffff }), /more than 4 GB/);
  await assert.rejects(open([["m", ""]], { change: (view) => view.setUint16(8, 1, true) }), /is encrypted/);
  await assert.rejects(open([["m", ""]], { change: (view) => view.setUint16(10, 9, true) }), /compressed by method 9/);
});
