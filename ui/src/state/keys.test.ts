// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { BINDINGS } from "./keys";

it("binds no key twice, and none of a page over one of all pages", () => {
  const keys = BINDINGS.map((binding) => binding.key);
  expect(new Set(keys).size).toBe(keys.length);
});

it("says what each key does", () => {
  for (const { key, what } of BINDINGS) expect(what.length, key).toBeGreaterThan(3);
});
