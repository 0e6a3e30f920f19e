// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { contrast, css, oklch, type Rgb } from "./color";
import { decodeFlame } from "./flame_decoder";
import { encodeFlame } from "./flame_encoder.testing";
import { layOut } from "./flame_layout";
import { DIM, diffStep, nodeColors, packageOf, paletteOf, seriesColor, severityColor, typeColorIndex } from "./palette";

const parse = (text: string): Rgb => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) as unknown as Rgb;

describe("palette", () => {
  it.each(["light", "dark"] as const)("has text contrast of 4.5:1 on every colour (%s)", (theme) => {
    const palette = paletteOf(theme);
    palette.fill.forEach((fill, i) => {
      expect(contrast(fill, palette.text), `colour ${i} ${css(fill)}`).toBeGreaterThanOrEqual(4.5);
    });
    expect(contrast(palette.fill[DIM] ?? [0, 0, 0], palette.dimText)).toBeGreaterThanOrEqual(4.5);
  });

  it.each([
    ["light", [255, 255, 255]],
    ["dark", [20, 22, 27]],
  ] as const)("has lines of 3:1 on the page (%s)", (theme, ground) => {
    for (let i = 0; i < 12; ++i) expect(contrast(parse(seriesColor(i, theme)), ground)).toBeGreaterThanOrEqual(3);
    for (const severity of ["none", "trace", "debug", "info", "warn", "error", "fatal"])
      expect(contrast(parse(severityColor(severity, theme)), ground), severity).toBeGreaterThanOrEqual(3);
  });

  it("measures contrast as WCAG does", () => {
    expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21);
    expect(contrast([119, 119, 119], [255, 255, 255])).toBeCloseTo(4.48, 1);
    expect(css(oklch(1, 0, 0))).toBe("#ffffff");
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

  it("distinguishes functions if a profile has neither frame types nor packages", () => {
    const colors = (mode: "type" | "package"): Set<number> =>
      new Set(
        nodeColors(
          layOut(decodeFlame(encodeFlame({ lines: "0 - 0\n1 main 1\n2 work 2\n2 rest 3\n2 wait 4" }))),
          mode,
        ).subarray(1),
      );
    expect(colors("type").size).toBeGreaterThan(2);
    expect(colors("package").size).toBe(1);
  });

  it("keeps noise grey in a comparison, and shows the direction of a change", () => {
    expect(diffStep(5, 100, 0.5)).toBe(0);
    expect(diffStep(5, 100, 0.001)).toBeGreaterThan(0);
    expect(diffStep(-500, 100, 0)).toBe(-6);
    const layout = layOut(
      decodeFlame(encodeFlame({ lines: "0 - 0 0\n1 more 10 90\n1 less 90 10\n1 same 5 5", probability: [1, 0, 0, 1] })),
    );
    const [root, more, less, same] = nodeColors(layout, "diff");
    expect(root).toBe(same);
    expect(more).toBeGreaterThan(same ?? 0);
    expect(less).toBeLessThan(same ?? 0);
  });

  it("extracts the package from a name", () => {
    expect(packageOf("shop::Cart::add", "m")).toBe("shop::Cart");
    expect(packageOf("net/http.(*conn).serve", "m")).toBe("net/http.(*conn)");
    expect(packageOf("malloc", "libc.so")).toBe("libc.so");
  });
});
