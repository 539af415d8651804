// The page: shows what the worker finds and makes.
const byId = (id) => document.getElementById(id);
const STAGES = { reading: "Reading the model", converting: "Converting", passes: "Simplifying the graph", checking: "Checking the result", writing: "Writing the result" };

let worker = null;
let found = null; // the inspection of the open model
let urls = []; // of what can be downloaded

// -- the worker ------------------------------------------------------------------------------------------------------
function start() {
  worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
}

/** Sends a request, and resolves to its answer; a failure is thrown. */
function ask(request) {
  if (!worker) start();
  const asked = worker;
  return new Promise((resolve, reject) => {
    asked.onmessage = ({ data }) => {
      if (data.kind === "progress") return showProgress(data);
      if (data.kind === "answer") return resolve(data);
      return reject(Object.assign(new Error(data.message), data));
    };
    asked.onerror = (event) => reject(new Error(event.message || "the worker could not be started"));
    byId("cancel").onclick = () => {
      asked.terminate();
      worker = null;
      reject(new Error("Cancelled. Choose the model again."));
    };
    asked.postMessage(request);
  });
}

async function busy(text, action) {
  show("working", true);
  byId("progress").removeAttribute("value");
  for (const button of document.querySelectorAll("form button")) button.disabled = true;
  say(text);
  try {
    await action();
  } catch (error) {
    showFailure(error);
  } finally {
    show("working", false);
    for (const button of document.querySelectorAll("form button")) button.disabled = false;
  }
}

let stage = "";
function showProgress({ stage: now, done, total }) {
  if (now !== stage) say((STAGES[now] ?? now) + " ...");
  stage = now;
  if (total) byId("progress").value = done / total;
  else byId("progress").removeAttribute("value");
}

// -- what is shown ---------------------------------------------------------------------------------------------------
function say(text, kind = "") {
  byId("status").textContent = text;
  byId("status").className = kind;
}
const show = (id, visible) => (byId(id).hidden = !visible);

function element(tag, text, members = {}) {
  const made = Object.assign(document.createElement(tag), members);
  if (text !== undefined) made.textContent = text;
  return made;
}
function row(...cells) {
  const made = element("tr");
  made.append(...cells.map((cell) => element("td", String(cell))));
  return made;
}
function size(bytes) {
  const units = ["B", "kB", "MB", "GB"];
  let unit = 0;
  for (; bytes >= 1000 && unit < 3; unit += 1) bytes /= 1000;
  return `${unit ? bytes.toFixed(1) : bytes} ${units[unit]}`;
}
const shapeText = (shape) => (shape === null ? "" : `[${shape.map((dim) => (dim === null || dim === -1 ? "?" : dim)).join(", ")}]`);
const typeText = (port) => port.dtype + shapeText(port.shape);

function clear() {
  urls.forEach(URL.revokeObjectURL);
  urls = [];
  for (const id of ["options", "result", "trial", "problems", "structure", "graph"]) show(id, false);
}
function link(blob, name) {
  const url = URL.createObjectURL(blob);
  urls.push(url);
  return { href: url, download: name };
}

function showFailure(error) {
  say(error.problems?.length ? summaryOf(error.problems, error.lowestOpset) : error.message, "bad");
  showProblems(error.problems ?? []);
}
function summaryOf(problems, lowestOpset) {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const text = problems.length === 1 ? `${problems[0].message} [${problems[0].code}]` : `The model cannot be converted: ${count}, listed below.`;
  return text + (lowestOpset ? ` Opset ${lowestOpset} works.` : "");
}
function showProblems(problems) {
  show("problems", problems.length > 0);
  byId("problems").querySelector("ol").replaceChildren(
    ...problems.map((problem) => {
      const item = element("li");
      item.append(element("div", problem.message));
      const where = element("div", `${problem.code}${problem.place ? ", " + problem.place : ""}`, { className: "soft" });
      item.append(where);
      if (problem.source) item.append(Object.assign(element("div", "Python: "), { className: "source" }));
      if (problem.source) item.lastChild.append(element("code", problem.source));
      if (problem.lowest_opset) item.append(element("div", `opset ${problem.lowest_opset} works`));
      if (problem.hint) item.append(element("div", "hint: " + problem.hint));
      return item;
    }),
  );
}

function showStructure() {
  const onnx = found.format === "onnx";
  const facts = [
    ["Format", { program_desc: "Paddle, ProgramDesc", pir_json: "Paddle 3, PIR", onnx: "ONNX" }[found.format] ?? found.format],
    [onnx ? "Made by" : "Paddle", (onnx ? found.producer : found.version) ?? "unknown"],
    ["Operators", found.op_count],
    ["Parameters", found.parameters ? `${found.parameters.count}, ${size(found.parameters.bytes)}` : "none"],
    ...(onnx ? [["Opset", found.opset]] : [["Opsets that work", found.opsets.join(", ") || "none"]]),
    ...found.warnings.map((text) => ["Warning", text]),
  ];
  byId("facts").replaceChildren(...facts.flatMap(([name, value]) => [element("dt", name), element("dd", String(value))]));
  const ports = [...found.inputs.map((port) => row("input", port.name, typeText(port))), ...found.outputs.map((port) => row("output", port.name, typeText(port)))];
  byId("ports").tBodies[0].replaceChildren(...ports);
  const counts = Object.entries(found.ops).sort((one, two) => two[1] - one[1] || (one[0] < two[0] ? -1 : 1));
  byId("operators").tBodies[0].replaceChildren(...counts.map((entry) => row(...entry)));
  show("structure", true);
  byId("drawing").srcdoc = found.html;
  Object.assign(byId("graph-file"), link(new Blob([found.html], { type: "text/html" }), "graph.html"));
  show("graph", true);
}

function showOptions() {
  const onnx = found.format === "onnx";
  for (const field of document.querySelectorAll(".to-onnx")) field.hidden = onnx;
  for (const field of document.querySelectorAll(".to-paddle")) field.hidden = !onnx;
  const fields = found.inputs.map((port, number) => {
    const field = element("div");
    const text = element("input", undefined, { type: "text", id: `shape-${number}`, autocomplete: "off", spellcheck: false, placeholder: port.shape ? port.shape.map((dim) => (dim === null || dim === -1 ? "?" : dim)).join(",") : "unknown" });
    text.dataset.name = port.name;
    field.append(element("label", port.name, { htmlFor: text.id }), text);
    return field;
  });
  byId("shapes").replaceChildren(byId("shapes").querySelector("legend"), ...fields);
  show("shapes", fields.length > 0);
  show("options", true);
}

function options() {
  const onnx = found?.format === "onnx";
  const shapes = Object.fromEntries([...byId("shapes").querySelectorAll("input")].filter((field) => field.value.trim()).map((field) => [field.dataset.name, field.value.trim()]));
  const outputs = byId("outputs").value.split(",").map((name) => name.trim()).filter(Boolean);
  const chosen = {};
  if (Object.keys(shapes).length) chosen.inputShapes = shapes;
  if (outputs.length) chosen.outputs = outputs;
  if (!onnx && byId("opset").value) chosen.opset = Number(byId("opset").value);
  if (!onnx && byId("precision").value) chosen.precision = byId("precision").value;
  return chosen;
}

// -- actions ---------------------------------------------------------------------------------------------------------
async function open(given) {
  if (!given.length) return;
  clear();
  byId("options").reset();
  byId("shapes").replaceChildren(byId("shapes").querySelector("legend"));
  found = null;
  await busy("Reading the files ...", async () => {
    const { files } = await ask({ action: "open", given });
    byId("list").replaceChildren(...files.slice(0, 50).map((file) => element("li", `${file.path}, ${size(file.size)}`)), ...(files.length > 50 ? [element("li", `and ${files.length - 50} more`)] : []));
    await check();
  });
}

async function check() {
  ({ found } = await ask({ action: "inspect", options: options() }));
  showStructure();
  if (!byId("shapes").querySelector("input")) showOptions();
  const { conversion } = found;
  showProblems(conversion?.errors ?? []);
  if (!conversion) return say("A training program without outputs: enter some under Options.", "bad");
  if (conversion.ok) {
    const count = Object.values(conversion.nodes).reduce((sum, number) => sum + number, 0);
    return say(found.format === "onnx" ? "The model can be converted to Paddle." : `The model can be converted at opset ${conversion.opset}, to ${count} nodes.`, "good");
  }
  const cut = found.cut ? ` With the outputs ${found.cut.outputs.join(", ")}, ${found.cut.operators} of ${found.cut.of} operators convert.` : "";
  return say(summaryOf(conversion.errors, found.lowest_opset) + cut, "bad");
}

async function convert() {
  for (const id of ["result", "trial", "problems"]) show(id, false);
  const chosen = options();
  if (found.format === "onnx") chosen.format = byId("format").value;
  const { results, report, runnable } = await ask({ action: "convert", options: chosen });
  byId("downloads").replaceChildren(
    ...Object.entries(results).map(([name, blob]) => {
      const item = element("li");
      item.append(element("a", `${name}, ${size(blob.size)}`, link(blob, name)));
      return item;
    }),
  );
  const operators = Object.values(report.operators).reduce((sum, number) => sum + number, 0);
  const nodes = Object.values(report.nodes).reduce((sum, number) => sum + number, 0);
  const [from, to] = report.to === "onnx" ? [`${operators} operators`, `${nodes} nodes`] : [`${operators} nodes`, `${nodes} operators`];
  byId("summary").textContent = `${from} became ${to} in ${report.seconds.toFixed(2)} s.` + report.warnings.map((text) => ` Warning: ${text}.`).join("");
  show("result", true);
  if (runnable) showTrial(report.to === "onnx" ? report.inputs : found.inputs);
  say(`Converted: ${Object.keys(results).join(" and ")}.`, "good");
  byId("downloads").querySelector("a").focus();
}

function showTrial(ports) {
  byId("trial-outputs").hidden = true;
  byId("trial-shapes").replaceChildren(
    ...ports.map((port, number) => {
      const dims = (port.shape ?? []).map((dim, axis) => (typeof dim === "number" && dim > 0 ? dim : port.shape.length === 4 && axis > 1 ? 224 : 1));
      const field = element("p");
      const text = element("input", undefined, { type: "text", id: `trial-${number}`, value: dims.join(","), autocomplete: "off" });
      Object.assign(text.dataset, { name: port.name, dtype: port.dtype });
      field.append(element("label", `${port.name}: ${typeText(port)}`, { htmlFor: text.id }), text);
      return field;
    }),
  );
  show("trial", true);
}

async function run() {
  const shapes = [...byId("trial-shapes").querySelectorAll("input")].map((field) => ({
    name: field.dataset.name,
    dtype: field.dataset.dtype,
    dims: field.value.split(",").map((dim) => dim.trim()).filter(Boolean).map(Number),
  }));
  if (shapes.some(({ dims }) => dims.some((dim) => !Number.isInteger(dim) || dim < 0))) throw new Error("A shape is a list of numbers, such as 1,3,224,224.");
  const { outputs, milliseconds } = await ask({ action: "run", shapes });
  const text = (number) => (number === undefined ? "" : Number(number.toPrecision(6)));
  byId("trial-outputs").tBodies[0].replaceChildren(...outputs.map((output) => row(output.name, output.type, text(output.least), text(output.mean), text(output.greatest))));
  byId("trial-outputs").hidden = false;
  say(`The model ran in ${milliseconds.toFixed(0)} ms.`, "good");
}

byId("options").addEventListener("submit", (event) => {
  event.preventDefault();
  busy("Converting ...", convert);
});
byId("check").addEventListener("click", () => busy("Checking ...", check));
byId("trial-form").addEventListener("submit", (event) => {
  event.preventDefault();
  busy("Loading ONNX Runtime, and running the model ...", run);
});
for (const id of ["files", "folder"]) {
  byId(id).addEventListener("change", () => open([...byId(id).files].map((file) => ({ path: file.webkitRelativePath || file.name, file }))));
}

// -- dropping --------------------------------------------------------------------------------------------------------
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
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  byId("drop").classList.add("over");
});
document.addEventListener("dragleave", () => byId("drop").classList.remove("over"));
document.addEventListener("drop", async (event) => {
  event.preventDefault();
  byId("drop").classList.remove("over");
  const { items, files } = event.dataTransfer;
  const dropped = [...items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  open(dropped.length ? (await Promise.all(dropped.map(entries))).flat() : [...files].map((file) => ({ path: file.name, file })));
});
