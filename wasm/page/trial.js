// "Run it": the inputs that the user chooses, and the outputs of a run.
import { byId, element, link, row, say, show, typeText } from "./view.js";

const PICTURE = 224; // pixels, where a model takes any number of them

export function showTrial(ports) {
  show("trial-outputs", false);
  byId("trial-inputs").replaceChildren(...ports.map(inputFields));
  show("trial", true);
}

function inputFields(port, number) {
  const dims = (port.shape ?? []).map((dim, axis) => (typeof dim === "number" && dim > 0 ? dim : port.shape.length === 4 && axis > 1 ? PICTURE : 1));
  const field = element("fieldset");
  Object.assign(field.dataset, { name: port.name, dtype: port.dtype });
  const shape = element("input", undefined, { type: "text", id: `trial-shape-${number}`, value: dims.join(","), autocomplete: "off" });
  const file = element("input", undefined, { type: "file", id: `trial-file-${number}`, accept: ".npy" });
  file.addEventListener("change", () => (shape.disabled = file.files.length > 0));
  field.append(
    element("legend", `${port.name}: ${typeText(port)}`),
    element("label", "Shape of random values", { htmlFor: shape.id }), shape,
    element("label", "Or a NumPy file", { htmlFor: file.id }), file,
  );
  return field;
}

/** Gives dropped .npy files to the inputs of their names, or to all in order. False if there is nothing to run. */
export function dropArrays(files) {
  if (byId("trial").hidden) return false;
  const fields = [...byId("trial-inputs").children];
  const named = (file) => fields.find(({ dataset }) => `${dataset.name}.npy` === file.name);
  const all = files.every(named);
  if (!all && files.length !== fields.length) {
    say(`The model has ${fields.length} inputs: drop as many .npy files, or files with the names of inputs.`, "bad");
    return true;
  }
  files.forEach((file, number) => {
    const target = (all ? named(file) : fields[number]).querySelector("[type=file]");
    const holder = new DataTransfer();
    holder.items.add(file);
    target.files = holder.files;
    target.dispatchEvent(new Event("change"));
  });
  say(`Inputs: ${files.map((file) => file.name).join(", ")}.`);
  byId("run").focus();
  return true;
}

export function trialInputs() {
  const inputs = [...byId("trial-inputs").children].map((field) => ({
    name: field.dataset.name,
    dtype: field.dataset.dtype,
    dims: field.querySelector("[type=text]").value.split(",").map((dim) => dim.trim()).filter(Boolean).map(Number),
    file: field.querySelector("[type=file]").files[0],
  }));
  if (inputs.some(({ dims, file }) => !file && dims.some((dim) => !Number.isInteger(dim) || dim < 0))) throw new Error("A shape is a list of numbers, such as 1,3,224,224.");
  return inputs;
}

export function showOutputs({ outputs, milliseconds }) {
  const text = (number) => (number === undefined ? "" : Number(number.toPrecision(6)));
  const save = ({ name, file }) => (file ? element("a", "Save", { ...link(file, `${name.replace(/[\\/:*?"<>|]/g, "_")}.npy`), ariaLabel: `Save ${name}` }) : "");
  byId("trial-outputs").tBodies[0].replaceChildren(...outputs.map((output) => row(output.name, output.type, text(output.least), text(output.mean), text(output.greatest), save(output))));
  show("trial-outputs", true);
  say(`The model ran in ${milliseconds.toFixed(0)} ms.`, "good");
}
