// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { BINDINGS } from "./keys";

// A flame graph is part of the profile page; a trace has its own page.
it.each([[["everywhere", "profile", "flame graph"]], [["everywhere", "trace"]]])(
  "binds no key twice on a page with %s",
  (places) => {
    const keys = BINDINGS.filter((binding) => places.includes(binding.where)).map((binding) => binding.key);
    expect(keys.length).toBeGreaterThan(10);
    expect(new Set(keys).size).toBe(keys.length);
  },
);

it("describes every key", () => {
  for (const { key, what } of BINDINGS) expect(what.length, key).toBeGreaterThan(3);
});
