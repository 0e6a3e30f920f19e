// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { itemFor } from "./menu_keys";

const LABELS = ["Copy link", "Export", " copy short link", "42 more"];

describe("menu keys", () => {
  it("wraps around with arrows", () => {
    expect([0, 1, 2, 3].map((at) => itemFor("ArrowDown", at, LABELS))).toEqual([1, 2, 3, 0]);
    expect([0, 1, 2, 3].map((at) => itemFor("ArrowUp", at, LABELS))).toEqual([3, 0, 1, 2]);
  });

  it("starts at either end if no item is current", () => {
    expect(itemFor("ArrowDown", -1, LABELS)).toBe(0);
    expect(itemFor("ArrowUp", -1, LABELS)).toBe(3);
    expect(itemFor("c", -1, LABELS)).toBe(0);
  });

  it("jumps to the ends", () => {
    expect(itemFor("Home", 2, LABELS)).toBe(0);
    expect(itemFor("End", 0, LABELS)).toBe(3);
  });

  it("jumps to the next item with the letter, case-insensitively, and wraps around", () => {
    expect(itemFor("c", 0, LABELS)).toBe(2);
    expect(itemFor("C", 2, LABELS)).toBe(0);
    expect(itemFor("4", 0, LABELS)).toBe(3);
    expect(itemFor("e", 1, LABELS)).toBe(1); // the only one
  });

  it("ignores other keys", () => {
    for (const key of ["x", " ", "Enter", "Tab", "F1", "Shift"]) expect(itemFor(key, 0, LABELS)).toBeNull();
    for (const key of ["ArrowDown", "ArrowUp", "Home", "End", "c"]) expect(itemFor(key, -1, [])).toBeNull();
  });
});
