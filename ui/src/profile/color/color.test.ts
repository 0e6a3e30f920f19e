// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { contrast, css, oklch } from "./color";

it("measures contrast as WCAG does", () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21);
  expect(contrast([119, 119, 119], [255, 255, 255])).toBeCloseTo(4.48, 1);
  expect(css(oklch(1, 0, 0))).toBe("#ffffff");
});
