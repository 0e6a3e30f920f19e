// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { decodeFlame } from "./flame_decoder";
import { encodeFlame } from "./flame_encoder.testing";
import { layOut } from "./flame_layout";
import { diffStep, nodeColors, packageOf } from "./node_colors";

describe("node colours", () => {
  it("distinguish functions if a profile has neither frame types nor packages", () => {
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

  it("are grey for noise in a comparison, and show the direction of a change", () => {
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

  it("by package take the package from the name", () => {
    expect(packageOf("shop::Cart::add", "m")).toBe("shop::Cart");
    expect(packageOf("net/http.(*conn).serve", "m")).toBe("net/http.(*conn)");
    expect(packageOf("malloc", "libc.so")).toBe("libc.so");
  });
});
