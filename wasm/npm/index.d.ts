/** The content of a file. In a browser's worker, a Blob or File is read piece by piece. */
export type Content = Uint8Array | ArrayBuffer | ArrayBufferView | Blob;

/**
 * The files of one model: by their paths, or as the File objects of a form or a drop. A single file may be given as it
 * is, if it has a name (File) or needs no other.
 */
export type Files = Content | Record<string, Content> | Map<string, Content> | Iterable<File>;

/** A dimension: its size, a name, or null if it is unknown. */
export type Dim = number | string | null;

export interface Options {
  /** The path of the model among the files, or of its folder; needed only if the files are several models. */
  model?: string;
  /** The path of the parameters among the files, if they have an unusual name. */
  params?: string;
  /** Opset of the ONNX model; 17 without it. */
  opset?: number;
  irVersion?: number;
  /** Shapes of inputs by name: [1, 3, "height", null] or "1,3,height,?". */
  inputShapes?: Record<string, Dim[] | string>;
  /** Variables that become the inputs, in this order. */
  inputs?: string[];
  /** Variables that become the outputs, in this order. */
  outputs?: string[];
  /** Other names for inputs and outputs. */
  renames?: Record<string, string>;
  dimNames?: string;
  lod?: "lengths" | "single";
  /** "auto": a second file only where one file would exceed 2 GB. */
  weights?: "auto" | "inline" | "external";
  precision?: "float16" | "bfloat16";
  halfIo?: boolean;
  float32Ops?: string[];
  halfOps?: string[];
  /** false: biases and normalizations are not merged into the operator before them. */
  fuse?: boolean;
  customOps?: Record<string, string>;
  continueOnError?: boolean;
  /** Called often, with a stage and what of it is done; total 0: unknown. */
  progress?: (stage: string, done: number, total: number) => void;
}

export interface ConvertOptions extends Options {
  /** The name of the result; its extension decides between .pdmodel and .json. */
  output?: string;
  /** Of a Paddle program that an ONNX model is converted to; "pdmodel" without it. */
  format?: "pdmodel" | "json";
}

export interface InspectOptions extends Options {
  /** Also the page of `fluid2onnx inspect --html`. */
  html?: boolean;
  /** False: `opsets` stays empty, and no opset is searched that converts a refused model. It saves up to 22 conversions. */
  findOpsets?: boolean;
}

export interface Port {
  name: string;
  variable: string;
  dtype: string;
  shape: Dim[] | null;
  lengths: string;
}

export interface Problem {
  /** Stable: "E_UNSUPPORTED_OP", "E_OPSET" ... */
  code: string;
  message: string;
  hint: string | null;
  /** The next opset at which this operator converts. */
  lowest_opset: number | null;
  place: string | null;
  block?: number | null;
  index?: number | null;
  op?: string | null;
  output?: string | null;
  /** The line of Python that made the operator. */
  source?: string | null;
  /** It follows another refused operator, and may vanish with that refusal. */
  behind?: boolean;
}

/** What `fluid2onnx convert --json` prints. */
export interface Report {
  ok: boolean;
  to: "onnx" | "paddle";
  model: string;
  output: string | null;
  opset: number;
  seconds: number;
  inputs: Port[];
  outputs: Port[];
  operators: Record<string, number>;
  nodes: Record<string, number>;
  weight_bytes: number;
  model_bytes: number;
  data_bytes: number;
  data_path: string | null;
  warnings: string[];
  [member: string]: unknown;
}

/** What `fluid2onnx inspect --json` prints. */
export interface Inspection {
  format: "program_desc" | "pir_json" | "onnx";
  model: string;
  version: string | null;
  inputs: { name: string; dtype: string; shape: Dim[] | null }[];
  outputs: { name: string; dtype: string; shape: Dim[] | null }[];
  parameters: { count: number; bytes: number } | null;
  op_count: number;
  ops: Record<string, number>;
  warnings: string[];
  /** Of a conversion that writes nothing; null for a training program. */
  conversion: (Report & { errors: Problem[] }) | null;
  lowest_opset: number | null;
  opsets: number[];
  /** Outputs that omit what cannot be converted. */
  cut: { outputs: string[]; operators: number; of: number } | null;
  /** With the option `html`: the page of `fluid2onnx inspect --html`. */
  html?: string;
  [member: string]: unknown;
}

export interface Result<File = Uint8Array> {
  /** The name of the model's file. */
  name: string;
  model: File;
  /** All files that the program would write, by name. */
  files: Record<string, File>;
  report: Report;
}

/** The model was refused, or cannot be read. `message` is what the program prints. */
export class ConversionError extends Error {
  /** Of the first problem. */
  readonly code: string;
  readonly problems: Problem[];
  /** The opset at which the whole model converts. */
  readonly lowestOpset: number | null;
  /** What the program would exit with. */
  readonly exitStatus: number;
  readonly report: Record<string, unknown>;
}

/** Converts a Paddle model to ONNX, or an ONNX model to Paddle. Rejects with ConversionError. */
export function convert(files: Files, options?: ConvertOptions & { blobs?: false }): Promise<Result>;
/** With `blobs`, the results are Blobs. */
export function convert(files: Files, options: ConvertOptions & { blobs: true }): Promise<Result<Blob>>;

/** What the model consists of, and whether it converts. Rejects with ConversionError if it cannot be read. */
export function inspect(files: Files, options?: InspectOptions): Promise<Inspection>;

/** All operators that convert. */
export function operators(): Promise<{ op: string; lowest_opset: number; spec: string; doc: string }[]>;

/** Loads the WebAssembly module ahead of the first call. */
export function load(): Promise<void>;

/** Where the WebAssembly module is, or its content, if a bundler moves it. */
export function setModule(source: URL | string | BufferSource | WebAssembly.Module): void;
