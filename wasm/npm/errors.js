/** A model that was refused, or that cannot be read: all its problems. */
export class ConversionError extends Error {
  /** @param {object} answer the converter's JSON */
  constructor(answer) {
    super(answer.text);
    this.name = "ConversionError";
    this.problems = answer.errors;
    this.code = answer.errors.length ? answer.errors[0].code : "E_INTERNAL";
    this.lowestOpset = answer.lowest_opset;
    this.exitStatus = answer.exit_status;
    this.report = answer;
  }
}

/** An error of the package's own, in the form of the converter's. */
export function failure(code, message, hint, exitStatus) {
  const text = `${message} [${code}]` + (hint ? `\n  hint: ${hint}` : "");
  const problem = { code, message, hint: hint || null, lowest_opset: null, place: null };
  return new ConversionError({ ok: false, lowest_opset: null, errors: [problem], text, exit_status: exitStatus });
}
