// SPDX-License-Identifier: Apache-2.0
//
// Runs the axe rules for WCAG 2.2 AA and best practices in a page.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const SOURCE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Returns the violations, one line per rule and reason. Evaluates axe instead of adding a script, because the content
// security policy of the server blocks scripts.
export async function violations(page) {
  await page.evaluate(SOURCE);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    const reasonOf = (rule, node) => (node.any[0] ?? node.all[0] ?? node.none[0])?.message ?? rule.help;
    const places = new Map();
    for (const rule of violations)
      for (const node of rule.nodes) {
        const what = `${rule.id}: ${reasonOf(rule, node)}`;
        places.set(what, [...(places.get(what) ?? []), node.target.join(" ")]);
      }
    return [...places].map(
      ([what, targets]) => `${what} at ${targets[0]}${targets.length > 1 ? ` and ${targets.length - 1} more` : ""}`,
    );
  });
}
