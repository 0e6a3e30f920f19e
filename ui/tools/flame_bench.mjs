// SPDX-License-Identifier: Apache-2.0
//
// npm run bench: frame times of a flame graph of 200,000 nodes in Chromium without a GPU.
import { createServer } from "vite";
import { Browser } from "./browser.mjs";

const P95_MS_MAX = 16.6;

const server = await createServer({ server: { port: 0, host: "127.0.0.1" }, logLevel: "error" });
await server.listen();
const browser = await Browser.launch({ width: 1640, height: 960 });
try {
  await browser.open(`http://127.0.0.1:${server.httpServer.address().port}/bench/flame.html`);
  const result = await browser.until("window.result", "the benchmark");
  console.log(JSON.stringify(result, null, 2));
  if (browser.problems.length > 0) console.log(browser.problems);
  if (result.whole.p95 > P95_MS_MAX) console.log(`a whole frame takes more than ${P95_MS_MAX} ms here`);
} finally {
  await browser.close();
  await server.close();
}
