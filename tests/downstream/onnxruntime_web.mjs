// Runs the model of a request in onnxruntime-web on one thread: node onnxruntime_web.mjs REQUEST.json
import fs from 'node:fs';
import path from 'node:path';
import {createRequire} from 'node:module';

const ort = createRequire(path.resolve(process.env.ONNXRUNTIME_WEB) + '/')('onnxruntime-web');
ort.env.wasm.numThreads = 1;
ort.env.logLevel = 'fatal';
const ARRAYS = {
  float32: Float32Array, float64: Float64Array, int64: BigInt64Array, int32: Int32Array, uint8: Uint8Array, bool: Uint8Array,
};

const request = JSON.parse(fs.readFileSync(process.argv[2]));
const session = await ort.InferenceSession.create(fs.readFileSync(request.model), {executionProviders: ['wasm']});
const feeds = {};
for (const {name, file, type, dims} of request.inputs) {
  const bytes = fs.readFileSync(file);
  const elements = new ARRAYS[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  feeds[name] = new ort.Tensor(type, elements, dims);
}
const results = await session.run(feeds);
const reply = session.outputNames.map((name, index) => {
  const {data, type, dims} = results[name];
  const file = `out${index}.bin`;
  fs.writeFileSync(file, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  return {file, type, dims};
});
fs.writeFileSync('reply.json', JSON.stringify(reply));
