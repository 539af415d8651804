// Files that are dropped on the page, and those in dropped folders.
import { byId } from "./view.js";

async function entries(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    return [{ path: entry.fullPath.replace(/^\//, ""), file }];
  }
  const reader = entry.createReader();
  const all = [];
  for (;;) {
    // A folder is listed in parts.
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return (await Promise.all(all.map(entries))).flat();
    all.push(...some);
  }
}

async function filesOf({ items, files }) {
  const dropped = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const plain = [...files].map((file) => ({ path: file.name, file }));
  return dropped.length ? (await Promise.all(dropped.map(entries))).flat() : plain;
}

/** Calls `receive` with [{path, file}] of each drop. */
export function acceptDrops(receive) {
  const mark = (over) => byId("drop").classList.toggle("over", over);
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    mark(true);
  });
  document.addEventListener("dragleave", () => mark(false));
  document.addEventListener("drop", async (event) => {
    event.preventDefault();
    mark(false);
    receive(await filesOf(event.dataTransfer));
  });
}
