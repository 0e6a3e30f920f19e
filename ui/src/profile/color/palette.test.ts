// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { contrast, css } from "./color";
import { DIM, paletteOf, typeColorIndex } from "./palette";

describe("palette", () => {
  it.each(["light", "dark"] as const)("has text contrast of 4.5:1 on every colour (%s)", (theme) => {
    const palette = paletteOf(theme);
    palette.fill.forEach((fill, i) => {
      expect(contrast(fill, palette.text), `colour ${i} ${css(fill)}`).toBeGreaterThanOrEqual(4.5);
    });
    expect(contrast(palette.fill[DIM] ?? [0, 0, 0], palette.dimText)).toBeGreaterThanOrEqual(4.5);
  });

  it("distinguishes frame types, and modules within a type", () => {
    expect(typeColorIndex("kernel", "")).not.toBe(typeColorIndex("native", ""));
    expect(
      new Set(["a", "b", "c", "d", "e", "f", "g"].map((module) => typeColorIndex("go", module))).size,
    ).toBeGreaterThan(1);
    expect(typeColorIndex("a type of tomorrow", "")).toBeLessThan(DIM);
  });

  it.each(["light", "dark"] as const)("has a distinct colour for every frame type (%s)", (theme) => {
    const { fill } = paletteOf(theme);
    const types = [
      ...["native", "kernel", "go", "rust", "jvm", "cpython", "v8js", "ruby", "php", "perl", "dotnet", "beam"],
      ...["luajit", "cuda"],
    ];
    const colors = types.map((type) => fill[typeColorIndex(type, "")] ?? [0, 0, 0]);
    colors.forEach((a, i) => {
      colors.slice(0, i).forEach((b, j) => {
        const distance = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        expect(distance, `${types[i]} and ${types[j]}`).toBeGreaterThan(10);
      });
    });
  });
});
