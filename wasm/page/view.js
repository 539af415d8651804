// What the modules of the page share to show things.
export const byId = (id) => document.getElementById(id);
export const show = (id, visible) => (byId(id).hidden = !visible);

export function say(text, kind = "") {
  byId("status").textContent = text;
  byId("status").className = kind;
}

export function element(tag, text, members = {}) {
  const made = Object.assign(document.createElement(tag), members);
  if (text !== undefined) made.textContent = text;
  return made;
}

export function row(...cells) {
  const made = element("tr");
  for (const cell of cells) {
    const column = element("td");
    column.append(cell instanceof Node ? cell : String(cell));
    made.append(column);
  }
  return made;
}

export function size(bytes) {
  const units = ["B", "kB", "MB", "GB"];
  let unit = 0;
  for (; bytes >= 1000 && unit < 3; unit += 1) bytes /= 1000;
  return `${unit ? bytes.toFixed(1) : bytes} ${units[unit]}`;
}

const isUnknown = (dim) => dim === null || dim === -1;
export const dimsText = (shape, separator = ",") => shape.map((dim) => (isUnknown(dim) ? "?" : dim)).join(separator);
export const typeText = (port) => port.dtype + (port.shape === null ? "" : `[${dimsText(port.shape, ", ")}]`);

let urls = []; // of what can be downloaded

/** What makes an <a> save the Blob. */
export function link(blob, name) {
  const url = URL.createObjectURL(blob);
  urls.push(url);
  return { href: url, download: name };
}

export function forgetLinks() {
  urls.forEach(URL.revokeObjectURL);
  urls = [];
}
