// SPDX-License-Identifier: Apache-2.0
//
// Drives the Chromium of the system (CHROMIUM, or the one on the PATH) over a pipe, for tests of whole pages. Nothing is
// downloaded. Whatever a page writes to the console as an error is collected in `problems`.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const WAIT_MS = 10_000;

export class Browser {
  #child;
  #profile = mkdtempSync(join(tmpdir(), "flarestack-ui-"));
  #next = 1;
  #waiting = new Map();
  #rest = "";
  #session = "";
  #isLoaded = null;
  problems = [];

  static async launch({ width = 1440, height = 900, isDark = false } = {}) {
    const browser = new Browser();
    await browser.#start(width, height, isDark);
    return browser;
  }

  async #start(width, height, isDark) {
    const program = process.env.CHROMIUM ?? "chromium";
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", `--user-data-dir=${this.#profile}`, `--window-size=${width},${height}`];
    this.#child = spawn(program, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.#child.stdio[4].on("data", (bytes) => this.#receive(bytes.toString()));
    const { targetId } = await this.#send("Target.createTarget", { url: "about:blank" }, false);
    const { sessionId } = await this.#send("Target.attachToTarget", { targetId, flatten: true }, false);
    this.#session = sessionId;
    await Promise.all(["Page.enable", "Runtime.enable", "Log.enable"].map((method) => this.#send(method)));
    await this.#send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await this.#send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: isDark ? "dark" : "light" }, { name: "prefers-reduced-motion", value: "reduce" }] });
  }

  #receive(text) {
    const messages = (this.#rest + text).split("\0");
    this.#rest = messages.pop() ?? "";
    for (const message of messages) {
      const { id, result, error, method, params } = JSON.parse(message);
      if (id !== undefined) {
        const { resolve, reject } = this.#waiting.get(id) ?? {};
        this.#waiting.delete(id);
        if (error) reject?.(new Error(error.message));
        else resolve?.(result);
      } else if (method === "Page.loadEventFired") this.#isLoaded?.();
      else if (method === "Runtime.exceptionThrown") this.problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      else if (method === "Runtime.consoleAPICalled" && params.type === "error") this.problems.push(params.args.map((arg) => arg.value ?? arg.description).join(" "));
      else if (method === "Log.entryAdded" && params.entry.level === "error") this.problems.push(`${params.entry.text} ${params.entry.url ?? ""}`);
    }
  }

  #send(method, params = {}, isOfPage = true) {
    const id = this.#next++;
    this.#child.stdio[3].write(`${JSON.stringify({ id, method, params, ...(isOfPage ? { sessionId: this.#session } : {}) })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  async open(url) {
    const loaded = new Promise((resolve) => (this.#isLoaded = resolve));
    await this.#send("Page.navigate", { url });
    await loaded;
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.#send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Until the expression is true; says what the page showed when it does not become so.
  async until(expression, what = expression) {
    const end = Date.now() + WAIT_MS;
    while (Date.now() < end) {
      const value = await this.evaluate(expression);
      if (value) return value;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`not within ${WAIT_MS} ms: ${what}\nat ${await this.evaluate("location.href")}\n${(await this.evaluate("document.body.innerText")).slice(0, 600)}`);
  }

  async text(text) {
    return this.until(`document.body.innerText.includes(${JSON.stringify(text)})`, `text "${text}"`);
  }

  async click(selector) {
    await this.until(`document.querySelector(${JSON.stringify(selector)}) !== null`, selector);
    await this.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  }

  async clickAt(x, y, count = 1) {
    await this.#send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
    for (let i = 1; i <= count; ++i) for (const type of ["mousePressed", "mouseReleased"]) await this.#send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: i });
  }

  async move(x, y) {
    await this.#send("Input.dispatchMouseEvent", { type: "mouseMoved", x, y });
  }

  async key(key) {
    const isText = key.length === 1;
    await this.#send("Input.dispatchKeyEvent", { type: "keyDown", key, ...(isText ? { text: key } : key === "Enter" ? { text: "\r" } : {}) });
    await this.#send("Input.dispatchKeyEvent", { type: "keyUp", key });
  }

  async screenshot(path) {
    const { data } = await this.#send("Page.captureScreenshot", { format: "png" });
    writeFileSync(path, Buffer.from(data, "base64"));
  }

  async close() {
    await this.#send("Browser.close", {}, false).catch(() => undefined);
    await new Promise((resolve) => (this.#child.exitCode === null ? this.#child.on("exit", resolve) : resolve()));
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
