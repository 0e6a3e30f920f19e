// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { decodeFlame } from "./flame_decoder";
import { encodeFlame } from "./flame_encoder.testing";
import { layOut } from "./flame_layout";
import { parseQuery, searchFlame } from "./search";

describe("search", () => {
  const layout = layOut(decodeFlame(encodeFlame({ lines: "0 - 0\n1 walk 1\n2 walk 2\n3 leaf 3\n1 Walker 4" })));
  const found = (text: string) => {
    const { query } = parseQuery(text);
    return query === null ? null : searchFlame(layout, query);
  };
  it("counts nested matches once", () => {
    expect(found("walk")?.total).toBe(10);
    expect(found("walk")?.nodes).toEqual([1, 2, 4]);
    expect(found("/^walk$/")?.total).toBe(6 + 4 * 0);
    expect(found("file:x")?.nodes).toEqual([]);
  });
  it("ignores folded nodes", () => {
    const cut = layOut(decodeFlame(encodeFlame({ lines: "0 - 0\n1 walk 1\n2 (other)*7 2\n1 other 4" })));
    const { query } = parseQuery("other");
    expect(query === null ? null : searchFlame(cut, query).nodes).toEqual([3]);
  });
  it("reports invalid patterns", () => {
    expect(parseQuery("/(/").error).not.toBe("");
    expect(parseQuery("").query).toBeNull();
  });
});
