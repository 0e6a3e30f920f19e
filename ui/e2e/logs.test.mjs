// SPDX-License-Identifier: Apache-2.0
//
// Log facets: they count all matching records, not only the loaded ones.
import assert from "node:assert/strict";
import { violations } from "./accessibility.mjs";
import { query, settled, until, withPage } from "./browser.mjs";
import { sendOtlp, serverFor } from "./program.mjs";
import { test } from "./testing.mjs";

test(
  "log facets count all matching records, and a click filters by one",
  withPage({}, async (page, t) => {
    const server = await serverFor(t);
    const now = Date.now();
    const send = (service, count, severityNumber, bodyOf) =>
      sendOtlp(server, "logs", {
        resourceLogs: [
          {
            resource: { attributes: [{ key: "service.name", value: { stringValue: service } }] },
            scopeLogs: [
              {
                logRecords: Array.from({ length: count }, (_, i) => ({
                  timeUnixNano: `${now - 1000 - i}000000`,
                  severityNumber,
                  body: { stringValue: bodyOf(i) },
                })),
              },
            ],
          },
        ],
      });
    await send("shop", 1200, 9, (i) => `order ${i} placed`);
    await send("bank", 30, 17, () => "card refused");
    await page.goto(`${server.url}/logs?from=now-15m`);
    await settled(page);
    const facets = page.getByRole("complementary", { name: "Facets" });
    const has = (text) =>
      until(page, (wanted) => document.querySelector(".facets")?.innerText.replace(/\s+/g, " ").includes(wanted), text);
    for (const text of [
      "shop 1,200",
      "bank 30",
      "info 1,200",
      "error 30",
      "order # placed 1,200",
      "Counts cover all 1,230 matching records",
    ])
      await has(text);
    assert.deepEqual(await violations(page), []);
    await facets.getByRole("button", { name: "order # placed" }).click();
    await has("Counts cover all 1,200 matching records");
    assert.equal((await query(page)).get("text"), "/^order [0-9a-fA-F.,:]+ placed/");
    await facets.getByRole("button", { name: "order # placed" }).click();
    await facets.getByRole("button", { name: "error" }).click();
    await has("Counts cover all 30 matching records");
  }),
);
