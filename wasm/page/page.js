// The page: shows what the worker finds and makes.
import { STOPPED, ask as send, stop } from "./client.js";
import { acceptDrops } from "./drop.js";
import { dropArrays, showOutputs, showTrial, trialInputs } from "./trial.js";
import { byId, dimsText, element, forgetLinks, link, row, say, show, size, typeText } from "./view.js";

const STAGES = { reading: "Reading the model", converting: "Converting", passes: "Simplifying the graph", checking: "Checking the result", writing: "Writing the result" };
const FORMATS = { program_desc: "Paddle, ProgramDesc", pir_json: "Paddle 3, PIR", onnx: "ONNX" };

let found = null; // the inspection of the open model
const isOnnx = () => found?.format === "onnx";
const sum = (counts) => Object.values(counts).reduce((total, count) => total + count, 0);

// -- requests --------------------------------------------------------------------------------------------------------
let stage = "";
function showProgress({ stage: now, done, total }) {
  if (now !== stage && STAGES[now]) say(STAGES[now] + " ...");
  stage = now;
  if (total) byId("progress").value = done / total;
  else byId("progress").removeAttribute("value");
}
const ask = (request) => send(request, showProgress);
/** Without a word in the status, which has an answer already. */
const askQuietly = (request) => send(request, () => {});

let turn = 0;
async function busy(text, action) {
  const mine = ++turn;
  const enable = (enabled) => document.querySelectorAll("form button, #find-opsets").forEach((button) => (button.disabled = !enabled));
  show("working", true);
  byId("progress").removeAttribute("value");
  enable(false);
  stage = "";
  say(text);
  try {
    await action();
  } catch (error) {
    if (error !== STOPPED) showFailure(error);
  }
  if (mine !== turn) return;
  show("working", false);
  enable(true);
}
byId("cancel").addEventListener("click", () => stop(new Error("Cancelled.")));

// -- what is shown ---------------------------------------------------------------------------------------------------
function clear() {
  forgetLinks();
  for (const id of ["options", "result", "trial", "problems", "structure", "graph"]) show(id, false);
}

function showFailure(error) {
  say(error.problems?.length ? summaryOf(error.problems, error.lowestOpset) : error.message, "bad");
  showProblems(error.problems ?? []);
}

function summaryOf(problems, lowestOpset) {
  const [{ message, code }] = problems;
  const text = problems.length === 1 ? `${message} [${code}]` : `The model cannot be converted: ${problems.length} problems, listed below.`;
  return text + (lowestOpset ? ` Opset ${lowestOpset} works.` : "");
}

function showProblems(problems) {
  show("problems", problems.length > 0);
  byId("problems").querySelector("ol").replaceChildren(...problems.map(problemItem));
}

function problemItem(problem) {
  const item = element("li");
  item.append(element("div", problem.message), element("div", `${problem.code}${problem.place ? ", " + problem.place : ""}`, { className: "soft" }));
  if (problem.source) {
    const source = element("div", "Python: ");
    source.append(element("code", problem.source));
    item.append(source);
  }
  if (problem.lowest_opset) item.append(element("div", `opset ${problem.lowest_opset} works`));
  if (problem.hint) item.append(element("div", "hint: " + problem.hint));
  return item;
}

function showStructure() {
  const facts = [
    ["Format", FORMATS[found.format] ?? found.format],
    [isOnnx() ? "Made by" : "Paddle", (isOnnx() ? found.producer : found.version) ?? "unknown"],
    ["Operators", found.op_count],
    ["Parameters", found.parameters ? `${found.parameters.count}, ${size(found.parameters.bytes)}` : "none"],
    ...(isOnnx() ? [["Opset", found.opset]] : []),
    ...(isOnnx() || !found.conversion ? [] : [["Opsets that work", opsetsFact()]]),
    ...found.warnings.map((text) => ["Warning", text]),
  ];
  byId("facts").replaceChildren(
    ...facts.flatMap(([name, value]) => {
      const fact = element("dd");
      fact.append(value instanceof Node ? value : String(value));
      return [element("dt", name), fact];
    }),
  );
  const ports = [...found.inputs.map((port) => row("input", port.name, typeText(port))), ...found.outputs.map((port) => row("output", port.name, typeText(port)))];
  byId("ports").tBodies[0].replaceChildren(...ports);
  const counts = Object.entries(found.ops).sort((one, two) => two[1] - one[1] || (one[0] < two[0] ? -1 : 1));
  byId("operators").tBodies[0].replaceChildren(...counts.map((entry) => row(...entry)));
  show("structure", true);
}

/** The opsets, or what finds them: it converts at each of 22 opsets. */
function opsetsFact() {
  if (found.opsets) return found.opsets.join(", ") || "none";
  const button = element("button", "Find them", { type: "button", id: "find-opsets" });
  button.addEventListener("click", () => busy("Converting at each opset ...", findOpsets));
  return button;
}

async function findOpsets() {
  const { opsets } = (await askQuietly({ action: "inspect", options: options() })).found;
  found.opsets = opsets;
  showStructure();
  say(`Opsets that work: ${opsets.join(", ") || "none"}.`, "good");
}

function showGraph(html) {
  byId("drawing").srcdoc = html;
  Object.assign(byId("graph-file"), link(new Blob([html], { type: "text/html" }), "graph.html"));
  show("graph", true);
}

const legend = () => byId("shapes").querySelector("legend");

function showOptions() {
  for (const field of document.querySelectorAll(".to-onnx")) field.hidden = isOnnx();
  for (const field of document.querySelectorAll(".to-paddle")) field.hidden = !isOnnx();
  const fields = found.inputs.map((port, number) => {
    const field = element("div");
    const text = element("input", undefined, { type: "text", id: `shape-${number}`, autocomplete: "off", spellcheck: false, placeholder: port.shape ? dimsText(port.shape) : "unknown" });
    text.dataset.name = port.name;
    field.append(element("label", port.name, { htmlFor: text.id }), text);
    return field;
  });
  byId("shapes").replaceChildren(legend(), ...fields);
  show("shapes", fields.length > 0);
  show("options", true);
}

function options() {
  const shapes = Object.fromEntries([...byId("shapes").querySelectorAll("input")].filter((field) => field.value.trim()).map((field) => [field.dataset.name, field.value.trim()]));
  const outputs = byId("outputs").value.split(",").map((name) => name.trim()).filter(Boolean);
  const chosen = {};
  if (Object.keys(shapes).length) chosen.inputShapes = shapes;
  if (outputs.length) chosen.outputs = outputs;
  if (!isOnnx() && byId("opset").value) chosen.opset = Number(byId("opset").value);
  if (!isOnnx() && byId("precision").value) chosen.precision = byId("precision").value;
  return chosen;
}

// -- actions ---------------------------------------------------------------------------------------------------------
async function open(given) {
  if (!given.length) return;
  if (given.every(({ path }) => /\.npy$/i.test(path)) && dropArrays(given.map(({ file }) => file))) return;
  stop(STOPPED);
  clear();
  byId("options").reset();
  byId("shapes").replaceChildren(legend());
  found = null;
  await busy("Reading the files ...", async () => {
    const { files } = await ask({ action: "open", given });
    byId("list").replaceChildren(...files.slice(0, 50).map((file) => element("li", `${file.path}, ${size(file.size)}`)), ...(files.length > 50 ? [element("li", `and ${files.length - 50} more`)] : []));
    await check();
  });
}

/** One conversion shows the most; only a refusal is worth the search for an opset that works. */
async function check() {
  ({ found } = await ask({ action: "inspect", options: options(), findOpsets: false }));
  delete found.opsets;
  showStructure();
  if (!byId("shapes").querySelector("input")) showOptions();
  const { conversion } = found;
  showProblems(conversion?.errors ?? []);
  const refused = conversion?.ok === false;
  sayVerdict(refused && !isOnnx() ? " Looking for an opset that works ..." : "");
  const { found: all } = await askQuietly({ action: "inspect", options: options(), html: true, findOpsets: refused });
  showGraph(all.html);
  if (!refused) return;
  found = all;
  showStructure();
  showProblems(found.conversion.errors);
  sayVerdict();
}

function sayVerdict(more = "") {
  const { conversion, cut } = found;
  if (!conversion) return say("A training program without outputs: enter some under Options.", "bad");
  if (conversion.ok) {
    return say(isOnnx() ? "The model can be converted to Paddle." : `The model can be converted at opset ${conversion.opset}, to ${sum(conversion.nodes)} nodes.`, "good");
  }
  const text = cut ? ` With the outputs ${cut.outputs.join(", ")}, ${cut.operators} of ${cut.of} operators convert.` : "";
  // Only the search tells problems of the opset from others, so the first verdict is not final.
  return say(summaryOf(conversion.errors, found.lowest_opset) + text + more, more ? "" : "bad");
}

async function convert() {
  for (const id of ["result", "trial", "problems"]) show(id, false);
  const chosen = options();
  if (isOnnx()) chosen.format = byId("format").value;
  const { results, report, runnable } = await ask({ action: "convert", options: chosen });
  byId("downloads").replaceChildren(
    ...Object.entries(results).map(([name, blob]) => {
      const item = element("li");
      item.append(element("a", `${name}, ${size(blob.size)}`, link(blob, name)));
      return item;
    }),
  );
  const [operators, nodes] = [sum(report.operators), sum(report.nodes)];
  const [from, to] = report.to === "onnx" ? [`${operators} operators`, `${nodes} nodes`] : [`${operators} nodes`, `${nodes} operators`];
  byId("summary").textContent = `${from} became ${to} in ${report.seconds.toFixed(2)} s.` + report.warnings.map((text) => ` Warning: ${text}.`).join("");
  show("result", true);
  if (runnable) showTrial(report.to === "onnx" ? report.inputs : found.inputs);
  say(`Converted: ${Object.keys(results).join(" and ")}.`, "good");
  byId("downloads").querySelector("a").focus();
}

function submits(form, text, action) {
  byId(form).addEventListener("submit", (event) => {
    event.preventDefault();
    busy(text, action);
  });
}
submits("options", "Converting ...", convert);
submits("trial-form", "Loading ONNX Runtime, and running the model ...", async () => showOutputs(await ask({ action: "run", inputs: trialInputs() })));
byId("check").addEventListener("click", () => busy("Checking ...", check));
for (const id of ["files", "folder"]) {
  byId(id).addEventListener("click", () => (byId(id).value = "")); // the same files may be chosen again
  byId(id).addEventListener("change", () => open([...byId(id).files].map((file) => ({ path: file.webkitRelativePath || file.name, file }))));
}
acceptDrops(open);
// Where the browser refuses it, as in private windows, the page needs the network to open.
navigator.serviceWorker?.register(new URL("offline.js", import.meta.url)).catch(() => {});
