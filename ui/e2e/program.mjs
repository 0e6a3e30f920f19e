// SPDX-License-Identifier: Apache-2.0
//
// Runs flarestack on free local ports, with a temporary data directory.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const START_MS = 240_000; // the machine may be busy
const STOP_MS = 15_000;

export const PROGRAM = process.env.FLARESTACK_PROGRAM ?? join(ROOT, "build/dev/flarestack");
export const hasProgram = () => existsSync(PROGRAM);

// UI files that are newer than those embedded in the program.
const pagesOfFolder = () =>
  process.env.FLARESTACK_UI_DIR === undefined ? [] : ["--ui-dir", process.env.FLARESTACK_UI_DIR];

const LISTENERS = ["--http", "--otlp-http", "--otlp-grpc"];

export class Program {
  #child;
  #folder = mkdtempSync(join(tmpdir(), "flarestack-e2e-"));
  output = "";

  constructor(args, flagOfFolder = "--data-dir") {
    const folder = flagOfFolder === "" ? [] : [flagOfFolder, join(this.#folder, "data")];
    const pages = args[0] === "open" ? [] : pagesOfFolder(); // `open` has no --ui-dir
    this.#child = spawn(PROGRAM, [...args, ...folder, ...pages], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, HOME: this.#folder, DEBUGINFOD_URLS: "" },
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.on("data", (bytes) => (this.output += bytes));
  }

  get folder() {
    return this.#folder;
  }

  // Waits for the first match in the output of the program.
  async says(pattern, ms = START_MS) {
    const end = Date.now() + ms;
    for (;;) {
      const match = pattern.exec(this.output);
      if (match !== null) return match;
      if (this.#child.exitCode !== null || Date.now() > end)
        throw new Error(`the program did not print ${pattern}:\n${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  // Stops the program and waits until it exits.
  async stop(signal = "SIGTERM") {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = new Promise((resolve) => this.#child.once("exit", resolve));
      this.#child.kill(signal);
      const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS);
      await ended;
      clearTimeout(timer);
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

// An empty server.
export async function startServer(flags = []) {
  const addresses = LISTENERS.filter((flag) => !flags.includes(flag)).flatMap((flag) => [flag, "127.0.0.1:0"]);
  const program = new Program(["serve", ...addresses, ...flags]);
  const [, otlp] = await program.says(/OTLP\/HTTP\s+(http\S+)/);
  const [, url] = await program.says(/API\s+(http\S+)/);
  return { url, otlp, program, stop: (signal) => program.stop(signal) };
}

// A server that outlives the page of its test, because the page would report that it is unreachable.
export async function serverFor(t, flags = []) {
  const server = await startServer(flags);
  t.after(() => server.stop());
  return server;
}

async function isApi(url) {
  try {
    return (await fetch(`${url}/api/v1/health`)).ok;
  } catch {
    return false;
  }
}

// A server with the demo data: five services and a bad deployment.
export async function startDemo() {
  const program = new Program(["demo", "--no-open", "--http", "127.0.0.1:0"], "");
  const end = Date.now() + START_MS;
  while (Date.now() < end) {
    for (const [url] of program.output.matchAll(/http:\/\/127\.0\.0\.1:\d+/g)) {
      if ((await isApi(url)) && (await isReady(url))) return { url, program, stop: () => program.stop() };
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the demo is not ready:\n${program.output}`);
}

// The guide refers to stored data, so it appears when all of it is stored.
async function isReady(url) {
  const response = await fetch(`${url}/api/v1/guide`);
  return response.ok && (await response.json()).steps.length > 0;
}

// One OTLP message, as JSON: `signal` is traces, metrics or logs.
export async function sendOtlp(server, signal, message) {
  const response = await fetch(`${server.otlp}/v1/${signal}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(message),
  });
  if (!response.ok) throw new Error(`cannot send ${signal}: ${await response.text()}`);
}

// Sends folded stacks.
export function sendFolded(server, text) {
  const sent = spawnSync(PROGRAM, ["send", "--now", "--endpoint", server.otlp, "-"], { encoding: "utf8", input: text });
  if (sent.status !== 0) throw new Error(`cannot send: ${sent.stderr}`);
}
