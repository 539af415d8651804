// The layers that operators belong to: a program's name scopes, and the Python that made it.
import { BYTES, fields, textOf } from "./wire.js";

const FRAME = /^\s*File "([^"]*)", line (\d+), in (\S+)/;
const MACHINERY = ["/paddle/", "/paddlepaddle/", "<frozen ", "/runpy.py", "/threading.py"];
// Fields of framework.proto.
const BLOCKS = 1, OPS = 4, ATTRIBUTES = 4, NAME = 1, TEXT = 5, TEXTS = 8;

/** The scopes of each operator of a ProgramDesc, by "BLOCK,INDEX"; those without are left out. */
export function scopesOfProgram(content) {
  const found = new Map();
  let number = 0;
  for (const block of all(content, BLOCKS)) {
    const paths = [...all(block, OPS)].map(pathOf);
    instances(paths).forEach((scope, index) => scope.length && found.set(`${number},${index}`, scope));
    number += 1;
  }
  return found;
}

function* all(message, wanted) {
  for (const [number, kind, content] of fields(message)) if (number === wanted && kind === BYTES) yield content;
}

function text(message, wanted) {
  for (const content of all(message, wanted)) return textOf(content);
  return "";
}

function pathOf(op) {
  let frames = [];
  for (const attribute of all(op, ATTRIBUTES)) {
    const name = text(attribute, NAME);
    if (name === "op_namescope") {
      const parts = text(attribute, TEXT).split("/").filter(Boolean);
      if (parts.length) return parts;
    } else if (name === "op_callstack") {
      frames = [...all(attribute, TEXTS)].map(textOf);
    }
  }
  return frames
    .map((frame) => FRAME.exec(frame))
    .filter((frame) => frame && !MACHINERY.some((word) => frame[1].includes(word)))
    .map((frame) => `${frame[3]} (${frame[1].split("/").pop()}:${frame[2]})`);
}

/** A call that is under way: `left` are the calls in it that have returned. */
const scopeOf = (key, turn) => ({ key, turn, left: new Map() });

/** One name for each time that a call is made: a line that runs again, after another of the same call, runs in the next iteration. */
function instances(paths) {
  const stack = [];
  const result = [];
  for (const path of paths) {
    let common = 0;
    while (common < Math.min(stack.length, path.length) && stack[common].key === path[common]) common += 1;
    if (common < path.length && common > 0 && stack[common - 1].left.has(path[common])) {
      const last = stack[common - 1];
      stack.splice(common - 1, stack.length, scopeOf(last.key, last.turn + 1));
    } else if (common < stack.length) {
      if (common) stack[common - 1].left.set(stack[common].key, stack[common].turn);
      stack.length = common;
    }
    for (const key of path.slice(stack.length)) stack.push(scopeOf(key, 1));
    result.push(stack.map(({ key, turn }) => (turn === 1 ? key : `${key}, turn ${turn}`)));
  }
  return withoutShared(result);
}

function withoutShared(scopes) {
  let named = scopes.filter((scope) => scope.length);
  while (named.length && named.every((scope) => scope.length > 1 && scope[0] === named[0][0])) {
    named = named.map((scope) => scope.slice(1));
    scopes = scopes.map((scope) => scope.slice(1));
  }
  return scopes;
}
