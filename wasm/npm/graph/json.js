// JSON in which numbers keep their spelling and objects their order, so that the text of values is that of Python.

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const NUMBER = "\u0000n";
const KEY = "\u0000k";

/** Numbers other than small integers become Spelt; objects become Maps. */
export function parse(text) {
  // JavaScript moves keys that are numbers to the front of an object.
  const marked = text.replace(TOKEN, (token, colon) => {
    if (colon !== undefined) return /^"\d+"/.test(token) ? '"\\u0000k' + token.slice(1) : token;
    if (token[0] === '"') return token;
    return Number.isSafeInteger(Number(token)) && /^-?\d+$/.test(token) ? token : `"\\u0000n${token}"`;
  });
  return JSON.parse(marked, (key, value) => {
    if (typeof value === "string" && value.startsWith(NUMBER)) return new Spelt(value.slice(NUMBER.length));
    if (value === null || typeof value !== "object" || Array.isArray(value) || value instanceof Map || value instanceof Spelt) return value;
    return new Map(Object.entries(value).map(([name, inner]) => [name.startsWith(KEY) ? name.slice(KEY.length) : name, inner]));
  });
}

/** A number as Python would write it. */
export class Spelt {
  constructor(text) {
    this.text = /^-?\d+$/.test(text) ? text : floatText(Number(text));
  }
}

/** As Python's json.dumps(value): ASCII, with spaces. */
export function dumps(value) {
  if (value instanceof Spelt) return value.text;
  if (Array.isArray(value)) return "[" + value.map(dumps).join(", ") + "]";
  if (value instanceof Map) return "{" + [...value].map(([key, inner]) => `${ascii(JSON.stringify(key))}: ${dumps(inner)}`).join(", ") + "}";
  return ascii(JSON.stringify(value));
}

export const ascii = (text) => text.replace(/[\u007f-\uffff]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));

/** Python's repr() of a float. */
export function floatText(number) {
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number < 0 ? "-inf" : "inf";
  const sign = number < 0 || Object.is(number, -0) ? "-" : "";
  const [mantissa, power] = Math.abs(number).toExponential().split("e");
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) return sign + digits[0] + (digits.length > 1 ? "." + digits.slice(1) : "") + exponentText(exponent);
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.padEnd(exponent + 1, "0");
  return `${sign}${whole.slice(0, exponent + 1)}.${whole.slice(exponent + 1) || "0"}`;
}

/** Python's f"{number:g}". */
export function shortText(number) {
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number < 0 ? "-inf" : "inf";
  const sign = number < 0 || Object.is(number, -0) ? "-" : "";
  const [mantissa, power] = Math.abs(number).toExponential(5).split("e");
  const exponent = Number(power);
  const strip = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent < -4 || exponent >= 6) return sign + strip(mantissa) + exponentText(exponent);
  return sign + strip(Math.abs(number).toFixed(5 - exponent));
}

const exponentText = (exponent) => `e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;

/** The first `most` characters, and whether there are more. */
export function cut(text, most) {
  if (text.length <= most) return [text, false];
  const characters = Array.from(text);
  return [characters.slice(0, most).join(""), characters.length > most];
}
