// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { FILTER_VERBS, internalsOf, verbOf, withInternals } from "./filter_steps";

describe("filter steps", () => {
  it("finds the verb of a step by its full name", () => {
    expect(verbOf("hide:^std::")?.verb).toBe("hide");
    expect(verbOf("hidetype:kernel")?.verb).toBe("hidetype");
    expect(verbOf("type:cpython")?.label).toBe("Keep type");
    expect(verbOf("recursion")?.placeholder).toBe("");
    expect(verbOf("preset:gc")).toBeUndefined();
  });

  it("lists each verb once", () => {
    expect(new Set(FILTER_VERBS.map(({ label }) => label)).size).toBe(FILTER_VERBS.length);
  });

  it("toggles interpreter frames and keeps the order of other steps", () => {
    const steps = ["only:parse", "hide:lock"];
    expect(withInternals(steps, true)).toEqual(["internals", ...steps]);
    expect(withInternals(withInternals(steps, true), true)).toEqual(["internals", ...steps]);
    expect(withInternals(withInternals(steps, true), false)).toEqual(steps);
  });

  it("keeps interpreter frames on a link to another page", () => {
    expect(internalsOf(["only:parse", "internals"])).toEqual(["internals"]);
    expect(internalsOf(["only:parse"])).toEqual([]);
  });
});
