// SPDX-License-Identifier: Apache-2.0
//
// node tools/viewer.mjs FILE.html [PICTURES]: opens a one-file profile from the disk, as whoever gets it does, and walks
// through it: graph, search, zoom, table, all sample types, light and dark. Nothing may be asked of any other place, and
// nothing may run but the viewer. With PICTURES, a folder, it leaves pictures there.
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const [file, pictures] = process.argv.slice(2);
if (file === undefined) throw new Error("which file?");
const url = pathToFileURL(resolve(file)).href;

for (const isDark of [false, true]) {
  const browser = await Browser.launch({ isDark });
  try {
    const picture = async (name) => pictures !== undefined && browser.screenshot(`${pictures}/${name}-${isDark ? "dark" : "light"}.png`);
    await browser.open(url);
    await browser.until("document.querySelectorAll('canvas').length > 0", "a flame graph");
    assert.equal(await browser.evaluate("document.documentElement.dataset.theme"), isDark ? "dark" : "light");
    await picture("icicle");

    const types = await browser.evaluate("document.querySelector('select[aria-label=\"Sample type\"]')?.options.length ?? 1");
    assert.equal(types, await browser.evaluate("document.querySelectorAll('script[data-sample-type]').length"));

    await browser.open(`${url}#v=1&view=table`);
    await browser.evaluate("location.reload()");
    await browser.until("document.querySelectorAll('.function-table tbody tr').length > 0", "rows of functions");
    const name = await browser.evaluate("document.querySelector('.function-table td').textContent");
    await browser.click(".function-table tbody tr");
    await browser.until(`document.querySelector('.inspector .name').textContent === ${JSON.stringify(name)}`, "the function that was clicked");
    await picture("table");

    await browser.click("[role=tab]:nth-child(2)");
    await browser.click(".inspector .menu-item:nth-last-child(5)"); // zoom to it
    await browser.until("location.hash.includes('z=')", "the zoom in the address");
    await browser.until("document.querySelectorAll('.crumbs button').length > 1", "the way back");
    await picture("flame");

    assert.equal(await browser.evaluate("performance.getEntriesByType('resource').length"), 0, "something was fetched");
    assert.deepEqual(browser.problems, []);
  } finally {
    await browser.close();
  }
}
console.log(`${file}: all is well, light and dark`);
