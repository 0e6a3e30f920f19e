// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { exactValue, formatSelector, parseSelector, withMatch } from "./selector";

describe("selectors", () => {
  it("survive a round trip", () => {
    const text = '{service.name="a\\"b",host.name=~"web.*"}';
    expect(formatSelector(parseSelector(text) ?? [])).toBe(text);
    expect(parseSelector("{service")).toBeNull();
    expect(withMatch(text, "service.name", "cart")).toBe('{service.name="cart",host.name=~"web.*"}');
    expect(withMatch('{service.name="x"}', "service.name", "")).toBe("");
    expect(exactValue(text, "service.name")).toBe('a"b');
  });
});
