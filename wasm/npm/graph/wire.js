// Protobuf's wire format. Throws RangeError where a message ends early.
export const VARINT = 0;
export const BYTES = 2;

/** [number, wire type, content]; the content of a varint are its bytes. */
export function* fields(message) {
  let position = 0;
  while (position < message.length) {
    const [tag, inner] = varint(message, position);
    const number = Math.floor(tag / 8);
    const kind = tag % 8;
    let start = inner;
    let end;
    if (kind === VARINT) [, end] = varint(message, start);
    else if (kind === BYTES) {
      const [length, behind] = varint(message, start);
      start = behind;
      end = behind + length;
    } else if (kind === 1 || kind === 5) end = start + (kind === 1 ? 8 : 4);
    else throw new RangeError("no such wire type");
    if (end > message.length) throw new RangeError("the message ends early");
    yield [number, kind, message.subarray(start, end)];
    position = end;
  }
}

function varint(message, position) {
  let value = 0;
  let factor = 1;
  for (;;) {
    if (position >= message.length) throw new RangeError("the message ends early");
    const byte = message[position++];
    value += (byte & 127) * factor;
    factor *= 128;
    if (byte < 128) return [value, position];
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
export const textOf = (bytes) => decoder.decode(bytes);
