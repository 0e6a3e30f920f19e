// SPDX-License-Identifier: Apache-2.0
//
// A server that requires credentials or a tenant.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { violations } from "./accessibility.mjs";
import { newPage, settled, withPage } from "./browser.mjs";
import { PROGRAM, serverFor } from "./program.mjs";
import { test } from "./testing.mjs";

function add(file, args, input = "") {
  const run = spawnSync(PROGRAM, ["auth", "add", ...args, "--file", file], { encoding: "utf8", input });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.trim();
}

const field = (page, name) => page.getByLabel(name, { exact: true });
const submit = (page) => page.locator("form").getByRole("button", { name: "Sign in" }).click();

test(
  "a token, or name and password, sign in until the tab is closed",
  withPage({ problemsAllowed: /401/ }, async (page, t) => {
    const folder = mkdtempSync(join(tmpdir(), "flarestack-auth-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "auth");
    const token = add(file, ["reader", "--roles", "read"]);
    add(file, ["anna", "--user", "--roles", "read"], "a long pässword\n");
    const server = await serverFor(t, ["--auth-file", file]);
    await page.goto(`${server.url}/health`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.deepEqual(await violations(page), []);
    await field(page, "Token").fill("fst_wrong");
    await submit(page);
    await page.getByRole("alert").waitFor();
    await field(page, "Token").fill(token);
    await submit(page);
    await page.getByRole("heading", { name: "Received since startup" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Received since startup" }).waitFor();
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }));
    assert.ok(!stored.includes(token), "not stored beyond the tab");

    const other = await newPage({ problemsAllowed: /401/ });
    await other.goto(`${server.url}/health`);
    await other.getByRole("tab", { name: "Username and password" }).click();
    await field(other, "Username").fill("anna");
    await field(other, "Password").fill("a long pässword");
    await submit(other);
    await other.getByRole("heading", { name: "Received since startup" }).waitFor();
    await other.context().close();
  }),
);

test(
  "a multi-tenant server requires a tenant",
  withPage({ problemsAllowed: /401/ }, async (page, t) => {
    const server = await serverFor(t, ["--tenants"]);
    const sent = spawnSync(
      PROGRAM,
      ["send", "--now", "--endpoint", server.otlp, "--header", "X-Scope-OrgID=blue", "-"],
      { input: "main;work 5\n", encoding: "utf8" },
    );
    assert.equal(sent.status, 0, sent.stderr);
    await page.goto(`${server.url}/explore?type=samples`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await field(page, "Tenant").fill("blue");
    await submit(page);
    await settled(page);
    await page.getByText("of the total").waitFor();
  }),
);
