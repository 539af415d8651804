// A model's graph as the page shows it, in the order of members that the page of `inspect --html` has.

export const makeNode = (members) => ({
  type: "", inputs: [], outputs: [], name: "", place: "", source: "", scope: [], attributes: [], problem: null, ...members,
});
export const makeTensor = (type, bytes = null, weight = false) => ({ type, bytes, weight });

/** float32[?, 3] */
export function typeText(dtype, shape) {
  if (shape === null || shape === undefined) return dtype;
  return `${dtype}[${shape.map((dim) => (dim === null || dim === "" || String(dim) === "-1" ? "?" : String(dim))).join(", ")}]`;
}

export function sizeText(size) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let amount = Number(size);
  let unit = 0;
  while (amount >= 1000 && unit < 4) {
    amount /= 1000;
    unit += 1;
  }
  return `${unit ? oneDigit(amount) : amount} ${units[unit]}`;
}

/** Rounded as by Python: halves to the even digit. */
function oneDigit(amount) {
  if (!Number.isInteger(amount * 4) || (amount * 4) % 2 === 0) return amount.toFixed(1);
  const below = Math.floor(amount * 10);
  return ((below % 2 ? below + 1 : below) / 10).toFixed(1);
}
