// The graph of an ONNX file, read without ONNX's schema.
import { makeNode, makeTensor, sizeText, typeText } from "./graph.js";
import { cut, shortText } from "./json.js";
import { VARINT, fields, textOf } from "./wire.js";

const DTYPES = [
  "undefined", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "float64", "uint32", "uint64", "complex64", "complex128",
  "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4", "int4", "float4e2m1",
];
const BITS = { 2: 8, 3: 8, 4: 16, 5: 16, 7: 64, 9: 8, 10: 16, 11: 64, 13: 64, 14: 64, 15: 128, 16: 16, 17: 8, 18: 8, 19: 8, 20: 8, 21: 4, 22: 4, 23: 4 };

function numberOf(content) {
  let value = 0n;
  content.forEach((byte, position) => (value |= BigInt(byte & 127) << BigInt(7 * position)));
  return value >= 1n << 63n ? value - (1n << 64n) : value;
}

function packed(content) {
  const found = [];
  let start = 0;
  content.forEach((byte, position) => {
    if (byte >= 128) return;
    found.push(numberOf(content.subarray(start, position + 1)));
    start = position + 1;
  });
  return found;
}

/** A message's fields by number. */
class Fields {
  constructor(message) {
    this.all = new Map();
    for (const [number, kind, content] of fields(message)) {
      if (!this.all.has(number)) this.all.set(number, []);
      this.all.get(number).push([kind, content]);
    }
  }
  messages = (number) => (this.all.get(number) ?? []).map(([, content]) => content);
  inner = (number) => this.messages(number).map((content) => new Fields(content));
  texts = (number) => this.messages(number).map(textOf);
  text = (number) => this.texts(number)[0] ?? "";
  numbers = (number) => (this.all.get(number) ?? []).flatMap(([kind, content]) => (kind === VARINT ? [numberOf(content)] : packed(content)));
  number = (number) => this.numbers(number)[0] ?? 0n;
  has = (number) => this.all.has(number);
}

const dtypeName = (number) => DTYPES[Number(number)] ?? "?";

/** Null if the content is no ONNX model. */
export function onnxGraph(title, content) {
  try {
    return new Reader(title, content).graph;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

class Reader {
  nodes = [];
  tensors = new Map();

  constructor(title, content) {
    const model = new Fields(content);
    const graphs = model.messages(7);
    if (!graphs.length || !model.has(8)) throw new RangeError("not an ONNX model");
    const opsets = model.inner(8).map((opset) => `${opset.text(1) || "ai.onnx"} ${opset.number(2)}`);
    const facts = [["opset", opsets.join(", ")], ["IR version", String(model.number(1))]];
    const producer = `${model.text(2)} ${model.text(3)}`.trim();
    if (producer) facts.push(["made by", producer]);
    const main = new Fields(graphs[0]);
    this.addGraph(main, []);
    const weights = [...this.tensors.values()].filter((tensor) => tensor.weight).map((tensor) => tensor.bytes || 0n);
    facts.push(["nodes", String(this.nodes.length)], ["weights", `${weights.length}, ${sizeText(weights.reduce((sum, bytes) => sum + BigInt(bytes), 0n))}`]);
    for (const made of model.inner(25)) facts.push(["function", made.text(1)]);
    const ports = (number) => main.inner(number).map((value) => value.text(1));
    this.graph = {
      title,
      facts,
      nodes: this.nodes,
      tensors: this.tensors,
      inputs: ports(11).filter((name) => !this.tensors.get(name)?.weight).map((name) => [name, name]),
      outputs: ports(12).map((name) => [name, name]),
      problems: [],
      verdict: "",
      ok: null,
    };
  }

  addGraph(graph, scope) {
    for (const weight of graph.inner(5)) this.addWeight(weight);
    for (const number of [11, 12, 13]) {
      for (const value of graph.inner(number)) {
        const known = typeOf(value.messages(2));
        if (known && !this.tensors.has(value.text(1))) this.tensors.set(value.text(1), makeTensor(known));
      }
    }
    graph.inner(1).forEach((node, index) => this.addNode(index, node, scope));
  }

  addWeight(weight) {
    const dims = weight.numbers(1);
    const dtype = weight.number(2);
    const count = dims.reduce((product, dim) => product * dim, 1n);
    const bits = count * BigInt(BITS[Number(dtype)] ?? 32);
    this.tensors.set(weight.text(8), makeTensor(typeText(dtypeName(dtype), dims), bits >> 3n, true));
  }

  addNode(index, node, scope) {
    const name = node.text(3);
    const kind = node.text(4);
    const domain = node.text(7);
    const layers = name.split("/").slice(0, -1).filter(Boolean);
    const attributes = [];
    const bodies = [];
    for (const attribute of node.inner(5)) {
      if (attribute.has(6) || attribute.has(11)) bodies.push(...[...attribute.inner(6), ...attribute.inner(11)].map((body) => [attribute.text(1), body]));
      else attributes.push([attribute.text(1), attributeText(attribute)]);
    }
    const ports = (number) => node.texts(number).map((text, position) => [String(position), text]).filter(([, text]) => text);
    this.nodes.push(
      makeNode({
        type: domain ? `${domain}::${kind}` : kind,
        inputs: ports(1),
        outputs: ports(2),
        name,
        place: `node ${index}` + (scope.length ? ` of ${scope.at(-1)}` : ""),
        source: node.text(6),
        scope: [...scope, ...layers],
        attributes,
      }),
    );
    for (const [bodyName, body] of bodies) this.addGraph(body, [...scope, ...layers, `${bodyName} of ${name || `${kind} ${index}`}`]);
  }
}

function typeOf(types) {
  for (const kind of types) {
    for (const tensor of new Fields(kind).inner(1)) {
      let shape = null;
      for (const dims of tensor.inner(2)) shape = dims.inner(1).map((dim) => (dim.has(1) ? dim.number(1) : dim.text(2) || null));
      return typeText(dtypeName(tensor.number(1)), shape);
    }
  }
  return "";
}

function attributeText(attribute) {
  switch (Number(attribute.number(20))) {
    case 1: return floats(attribute.messages(2));
    case 2: return String(attribute.number(3));
    case 3: return cut(attribute.text(4), 200)[0];
    case 4: {
      const value = attribute.inner(5)[0];
      if (!value) throw new RangeError("a tensor is missing");
      return typeText(dtypeName(value.number(2)), value.numbers(1));
    }
    case 6: return floats(attribute.messages(7));
    case 7: return listed(attribute.numbers(8).map(String));
    case 8: return listed(attribute.texts(9));
    default: return "...";
  }
}

function floats(parts) {
  return listed(
    parts.flatMap((part) => {
      if (part.length % 4) throw new RangeError("floats have four bytes");
      const view = new DataView(part.buffer, part.byteOffset, part.length);
      return Array.from({ length: part.length / 4 }, (_, position) => shortText(view.getFloat32(4 * position, true)));
    }),
  );
}

const listed = (shown) => shown.slice(0, 20).join(", ") + (shown.length > 20 ? ` and ${shown.length - 20} more` : "");
