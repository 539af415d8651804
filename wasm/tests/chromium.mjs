// Conversions in Chromium without a window: the CPU seconds of all its processes.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm" };
const TICKS = 100; // of Linux, in a second

/** The page asks the server before and after each conversion. */
function page(names, times) {
  return `<!doctype html><script type="module">
    const ask = (path) => fetch(path, { method: "POST" });
    try {
      const { convert } = await import("/package/index.js");
      const files = {};
      for (const name of ${JSON.stringify(names)}) files[name] = new Uint8Array(await (await fetch("/files/" + name)).arrayBuffer());
      for (let i = 0; i < ${times}; i += 1) {
        await ask("/begin");
        const { model } = await convert(files);
        await ask("/end?" + model.length);
      }
      await ask("/done");
    } catch (error) {
      await ask("/failed?" + encodeURIComponent(error));
    }
  </script>`;
}

/** Of a process and those that descend from it. */
function cpuSeconds(pid) {
  const processes = [];
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${entry}/stat`, "latin1").replace(/^.*\) /s, "").split(" ");
      processes.push({ id: Number(entry), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) });
    } catch {
      // It has ended.
    }
  }
  const below = (id) => processes.filter(({ parent }) => parent === id).reduce((sum, process) => sum + process.ticks + below(process.id), 0);
  return ((processes.find(({ id }) => id === pid)?.ticks ?? 0) + below(pid)) / TICKS;
}

/** CPU seconds of each of `times` conversions of `files`, paths by name, and the bytes of the model. */
export async function inChromium(folder, files, times) {
  const profile = mkdtempSync(path.join(tmpdir(), "f2o-chromium-"));
  const seconds = [];
  let browser, before, bytes, finish;
  const finished = new Promise((resolve, reject) => (finish = (error) => (error ? reject(error) : resolve())));
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url, "http://localhost");
    const send = (content, type = "text/html") => response.writeHead(200, { "Content-Type": type }).end(content);
    if (pathname === "/begin") before = cpuSeconds(browser.pid);
    else if (pathname === "/end") {
      seconds.push(cpuSeconds(browser.pid) - before);
      bytes = Number(search.slice(1));
    } else if (pathname === "/done") finish();
    else if (pathname === "/failed") finish(new Error(decodeURIComponent(search.slice(1))));
    if (request.method === "POST") return send("");
    if (pathname === "/") return send(page(Object.keys(files), times));
    if (pathname.startsWith("/files/")) return send(readFileSync(files[pathname.slice(7)]), "application/octet-stream");
    if (pathname.startsWith("/package/")) return send(readFileSync(path.join(folder, path.normalize(pathname.slice(9)))), TYPES[path.extname(pathname)]);
    return response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`];
  browser = spawn("chromium", words, { stdio: "ignore" });
  browser.on("error", finish);
  browser.on("exit", () => finish(new Error("Chromium ended")));
  try {
    await finished;
    return { seconds, bytes };
  } finally {
    const ended = new Promise((resolve) => browser.on("exit", resolve));
    if (browser.exitCode === null && browser.kill()) await ended;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
