// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { contrast, type Rgb } from "./color";
import { seriesColor, severityColor } from "./series_color";

const parse = (text: string): Rgb => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)) as unknown as Rgb;

it.each([
  ["light", [255, 255, 255]],
  ["dark", [20, 22, 27]],
] as const)("lines have a contrast of 3:1 on the page (%s)", (theme, ground) => {
  for (let i = 0; i < 12; ++i) expect(contrast(parse(seriesColor(i, theme)), ground)).toBeGreaterThanOrEqual(3);
  for (const severity of ["none", "trace", "debug", "info", "warn", "error", "fatal"])
    expect(contrast(parse(severityColor(severity, theme)), ground), severity).toBeGreaterThanOrEqual(3);
});
