// The graph of a Paddle program, from the JSON of an inspection.
import { makeNode, makeTensor, sizeText, typeText } from "./graph.js";
import { cut, dumps } from "./json.js";
import { scopesOfProgram } from "./scopes.js";

export function paddleGraph(inspected, readFile) {
  const get = (name) => inspected.get(name);
  const scopes = scopesOf(get("model"), readFile);
  const nodes = [];
  const where = new Map();
  for (const op of get("op_list")) {
    if (op.get("type") === "feed" || op.get("type") === "fetch") continue;
    const place = `${op.get("block")},${op.get("index")}`;
    where.set(place, nodes.length);
    const ports = (slots) => [...slots].flatMap(([slot, names]) => names.filter(Boolean).map((name) => [slot, name]));
    nodes.push(
      makeNode({
        type: op.get("type"),
        inputs: ports(op.get("inputs")),
        outputs: ports(op.get("outputs")),
        place: `block ${op.get("block")}, operator ${op.get("index")}`,
        source: op.get("source") || "",
        scope: [...(op.get("block") ? [`block ${op.get("block")}`] : []), ...(scopes.get(place) ?? [])],
        attributes: [...op.get("attributes")].map(([name, value]) => [name, valueText(value)]),
      }),
    );
  }
  const conversion = get("conversion") || new Map();
  const problems = (conversion.get("errors") ?? []).map((entry) => ({
    code: entry.get("code"),
    message: entry.get("message"),
    hint: entry.get("hint") || "",
    place: entry.get("place") || "",
    node: where.get(`${entry.get("block")},${entry.get("index")}`) ?? null,
  }));
  problems.forEach((problem, number) => {
    if (problem.node !== null) nodes[problem.node].problem = number;
  });
  const tensors = new Map();
  for (const [name, entry] of get("variables")) {
    tensors.set(name, makeTensor(typeText(entry.get("dtype"), entry.get("shape")), entry.get("bytes"), entry.get("parameter")));
  }
  return {
    title: get("model").split("/").pop(),
    facts: factsOf(inspected),
    nodes,
    tensors,
    inputs: get("inputs").map((port) => [port.get("name"), port.get("name")]),
    outputs: outputsOf(inspected),
    problems,
    verdict: verdictOf(inspected),
    ok: conversion.get("ok") ?? null,
  };
}

function valueText(value) {
  const [text, more] = cut(typeof value === "string" ? value : dumps(value), 200);
  return more ? text + " ..." : text;
}

function scopesOf(path, readFile) {
  try {
    const content = readFile(path);
    return content[0] === 0x7b ? new Map() : scopesOfProgram(content);
  } catch {
    return new Map(); // neither a file, nor a message: the graph has no groups
  }
}

function outputsOf(inspected) {
  const fetched = inspected
    .get("op_list")
    .filter((op) => op.get("type") === "fetch")
    .flatMap((op) => [...op.get("inputs").values()].flat());
  const named = inspected.get("outputs").map((port) => port.get("name"));
  return named.map((name, position) => [name, fetched.length === named.length ? fetched[position] : name]);
}

function factsOf(inspected) {
  const parameters = inspected.get("parameters");
  const facts = [
    ["format", inspected.get("format") === "program_desc" ? "ProgramDesc" : "PIR, Paddle 3"],
    ["Paddle", inspected.get("version") || "unknown"],
    ["operators", String(inspected.get("op_count"))],
  ];
  if (parameters) facts.push(["parameters", `${parameters.get("count")}, ${sizeText(parameters.get("bytes"))}`]);
  return [...facts, ...(inspected.get("warnings") ?? []).map((text) => ["warning", text])];
}

function verdictOf(inspected) {
  const conversion = inspected.get("conversion");
  if (!conversion) return "a training program without outputs: choose some with --outputs";
  if (conversion.get("ok")) {
    const nodes = [...conversion.get("nodes").values()].reduce((sum, count) => sum + count, 0);
    return `can be converted at opset ${conversion.get("opset")}, to ${nodes} nodes`;
  }
  let text = `cannot be converted at opset ${conversion.get("opset")}`;
  if (inspected.get("lowest_opset")) text += `; opset ${inspected.get("lowest_opset")} works`;
  const cutAt = inspected.get("cut");
  if (cutAt) {
    text += `; --outputs ${cutAt.get("outputs").join(",")} omits what cannot be converted, and converts ${cutAt.get("operators")} of ${cutAt.get("of")} operators`;
  }
  return text;
}
