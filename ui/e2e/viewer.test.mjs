// SPDX-License-Identifier: Apache-2.0
//
// A one-file profile opened from disk: graph, search, zoom, table, all sample types, light and dark. It must send no
// requests and run no other scripts.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { SCREENSHOTS, until, withPage } from "./browser.mjs";
import { PROGRAM } from "./program.mjs";
import { test } from "./testing.mjs";

const EXAMPLE = fileURLToPath(new URL("../../testdata/examples/checkout.pb.gz", import.meta.url));

async function withFile(body) {
  const folder = mkdtempSync(join(tmpdir(), "flarestack-viewer-"));
  try {
    const path = join(folder, "profile.html");
    const converted = spawnSync(PROGRAM, ["convert", EXAMPLE, path], { encoding: "utf8" });
    assert.equal(converted.status, 0, converted.stderr);
    await body(pathToFileURL(path).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

for (const colorScheme of ["light", "dark"]) {
  test(
    `a one-file profile works without a server, ${colorScheme}`,
    withPage({ colorScheme }, (page) =>
      withFile(async (url) => {
        await page.goto(url);
        await until(page, () => document.querySelectorAll("canvas").length > 0);
        assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), colorScheme);
        const types = await page.evaluate(
          () => document.querySelector('select[aria-label="Sample type"]')?.options.length ?? 1,
        );
        assert.equal(types, await page.evaluate(() => document.querySelectorAll("script[data-sample-type]").length));

        await page.goto(`${url}#v=1&view=table`);
        await page.reload();
        await until(page, () => document.querySelectorAll(".function-table tbody tr").length > 0);
        const name = await page.locator(".function-table td").first().textContent();
        await page.locator(".function-table tbody tr").first().click();
        await until(page, (wanted) => document.querySelector(".inspector .name")?.textContent === wanted, name);

        await page.locator("[role=tab]").nth(1).click();
        await page.locator(".inspector .menu-item").filter({ hasText: /zoom/i }).first().click();
        await until(page, () => window.location.hash.includes("z="));
        await until(page, () => document.querySelectorAll(".crumbs button").length > 1);
        await page.screenshot({ path: `${SCREENSHOTS}one-file-${colorScheme}.png` });
        assert.equal(
          await page.evaluate(() => performance.getEntriesByType("resource").length),
          0,
          "the page sent a request",
        );
      }),
    ),
  );
}
