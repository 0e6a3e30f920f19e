// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { BoxRaster } from "./box_raster";
import { DrawList, RUN } from "./flame_cull";

const COLORS = Uint32Array.from([0xff0000aa, 0xff00bb00, 0]);
const LETTERS = new Map([
  [0, "."],
  [COLORS[0], "a"],
  [COLORS[1], "b"],
]);

// One letter per pixel, so that a failing test shows the picture.
function picture(
  widthPx: number,
  heightPx: number,
  boxes: readonly (readonly [row: number, left: number, width: number, color: number])[],
  ratio = 1,
  scrolled = 0,
  isCovering = false,
): string {
  const list = new DrawList();
  for (const [row, left, width, color] of boxes) list.add(RUN, row, left, width, color);
  const raster = new BoxRaster();
  raster.resize(widthPx, heightPx);
  const pixels = raster.fill(list, COLORS, { top: (row) => row * 3 - scrolled, heightPx: 2, ratio, isCovering });
  return Array.from({ length: heightPx }, (_, y) =>
    Array.from(pixels.subarray(y * widthPx, (y + 1) * widthPx), (pixel) => LETTERS.get(pixel) ?? "?").join(""),
  ).join("\n");
}

it("fills boxes row by row, with a gap after wide ones and a line below each row", () => {
  expect(
    picture(10, 6, [
      [0, 0, 10, 0],
      [1, 0, 5, 1],
      [1, 5, 2, 0],
    ]),
  ).toBe(["aaaaaaaaa.", "aaaaaaaaa.", "..........", "bbbb.aa...", "bbbb.aa...", ".........."].join("\n"));
});

it("draws the narrowest box as one pixel, and nothing outside the picture", () => {
  expect(
    picture(6, 2, [
      [0, 2, 0.2, 0],
      [0, 5, 9, 1],
      [7, 0, 6, 0],
    ]),
  ).toBe("..a..b\n..a..b");
});

it("aligns narrow boxes vertically if it fills every pixel they touch", () => {
  expect(
    picture(
      6,
      6,
      [
        [0, 1.2, 1.9, 0],
        [1, 1.6, 0.1, 1],
        [1, 3.05, 0.02, 1],
      ],
      1,
      0,
      true,
    ),
  ).toBe([".aaa..", ".aaa..", "......", ".b.b..", ".b.b..", "......"].join("\n"));
});

it("clips rows at the edges when scrolled", () => {
  expect(
    picture(
      3,
      4,
      [
        [0, 0, 3, 0],
        [1, 0, 3, 1],
      ],
      1,
      1,
    ),
  ).toBe("aaa\n...\nbbb\nbbb");
});

it("draws twice the pixels at twice the density", () => {
  expect(picture(8, 6, [[0, 0, 4, 0]], 2)).toBe("aaaaaa..\naaaaaa..\naaaaaa..\naaaaaa..\n........\n........");
});

it("skips boxes without a colour", () => {
  expect(picture(4, 1, [[0, 0, 4, 2]])).toBe("....");
});
