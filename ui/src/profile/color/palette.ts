// SPDX-License-Identifier: Apache-2.0
//
// The colours of boxes, as tables: a box has an index into them. The hue shows the frame type, and small changes of
// lightness show the module.
import { css, hashText, oklch, type Rgb } from "./color";

export type Theme = "light" | "dark";

// Frame types as defined by OpenTelemetry; the hue of other types is a hash of their name. The kernel is distinct from
// all others.
const HUES: Readonly<Record<string, number>> = {
  native: 65,
  kernel: 20,
  go: 205,
  rust: 42,
  jvm: 148,
  cpython: 255,
  v8js: 98,
  ruby: 355,
  php: 282,
  perl: 306,
  dotnet: 230,
  beam: 330,
  luajit: 122,
  cuda: 174,
};
const SHADES = 4;
const HASHED_HUES = 12; // for unknown types and for modules
export const DIFF_STEPS = 6; // per direction

export const NEUTRAL = 0; // folded, root, no colour
const FIRST_TYPE = 1;
const TYPE_NAMES = Object.keys(HUES);
const FIRST_HASHED = FIRST_TYPE + TYPE_NAMES.length * SHADES;
const FIRST_DIFF = FIRST_HASHED + HASHED_HUES * SHADES;
const FIRST_HEAT = FIRST_DIFF + 2 * DIFF_STEPS + 1;
export const HEAT_STEPS = 6;
export const DIM = FIRST_HEAT + HEAT_STEPS; // boxes that do not match a search
export const HIDDEN = DIM + 1; // time without samples
const COLOR_COUNT = HIDDEN + 1;

export interface Palette {
  readonly fill: readonly Rgb[];
  readonly css: readonly string[];
  readonly text: Rgb;
  readonly dimText: Rgb;
}

function typeColor(theme: Theme, hue: number, shade: number): Rgb {
  return theme === "light"
    ? oklch(0.87 - shade * 0.026, 0.072 + shade * 0.006, hue)
    : oklch(0.445 + shade * 0.024, 0.082 + shade * 0.004, hue);
}

// -1 is much less, 1 is much more: blue and orange, which nearly all users can distinguish.
function diffColor(theme: Theme, step: number): Rgb {
  const size = Math.abs(step) / DIFF_STEPS;
  const hue = step < 0 ? 250 : 52;
  if (step === 0) return theme === "light" ? oklch(0.905, 0.004, 250) : oklch(0.36, 0.006, 250);
  return theme === "light"
    ? oklch(0.905 - size * 0.145, 0.022 + size * 0.1, hue)
    : oklch(0.36 + size * 0.15, 0.02 + size * 0.11, hue);
}

function heatColor(theme: Theme, step: number): Rgb {
  const size = step / (HEAT_STEPS - 1);
  return theme === "light"
    ? oklch(0.94 - size * 0.2, 0.02 + size * 0.13, 75 - size * 35)
    : oklch(0.34 + size * 0.17, 0.01 + size * 0.12, 75 - size * 35);
}

function makePalette(theme: Theme): Palette {
  const fill: Rgb[] = new Array<Rgb>(COLOR_COUNT).fill([0, 0, 0]);
  fill[NEUTRAL] = theme === "light" ? oklch(0.9, 0.006, 250) : oklch(0.36, 0.008, 250);
  TYPE_NAMES.forEach((name, i) => {
    for (let shade = 0; shade < SHADES; ++shade)
      fill[FIRST_TYPE + i * SHADES + shade] = typeColor(theme, HUES[name] ?? 0, shade);
  });
  for (let i = 0; i < HASHED_HUES; ++i) {
    for (let shade = 0; shade < SHADES; ++shade)
      fill[FIRST_HASHED + i * SHADES + shade] = typeColor(theme, (i * 360) / HASHED_HUES + 10, shade);
  }
  for (let step = -DIFF_STEPS; step <= DIFF_STEPS; ++step)
    fill[FIRST_DIFF + DIFF_STEPS + step] = diffColor(theme, step);
  for (let step = 0; step < HEAT_STEPS; ++step) fill[FIRST_HEAT + step] = heatColor(theme, step);
  fill[DIM] = theme === "light" ? oklch(0.95, 0.003, 250) : oklch(0.29, 0.005, 250);
  fill[HIDDEN] = fill[DIM] ?? [0, 0, 0];
  const text: Rgb = theme === "light" ? [26, 29, 36] : [240, 242, 246];
  const dimText: Rgb = theme === "light" ? [92, 97, 108] : [172, 178, 190];
  return { fill, css: fill.map((rgb, i) => (i === HIDDEN ? "transparent" : css(rgb))), text, dimText };
}

// Created on first use: a page shows only one of them, and not at startup.
const made = new Map<Theme, Palette>();
export function paletteOf(theme: Theme): Palette {
  const palette = made.get(theme) ?? makePalette(theme);
  made.set(theme, palette);
  return palette;
}

const shadeOf = (text: string): number => (text === "" ? 0 : hashText(text) % SHADES);

export function typeColorIndex(type: string, module: string): number {
  const known = TYPE_NAMES.indexOf(type);
  if (known >= 0) return FIRST_TYPE + known * SHADES + shadeOf(module);
  if (type === "") return FIRST_TYPE + shadeOf(module); // no frame type: probably native
  return FIRST_HASHED + (hashText(type) % HASHED_HUES) * SHADES + shadeOf(module);
}

export function hashedColorIndex(text: string): number {
  if (text === "") return NEUTRAL;
  const hash = hashText(text);
  return FIRST_HASHED + (hash % HASHED_HUES) * SHADES + ((hash >>> 8) % SHADES);
}

// `step` is from -DIFF_STEPS (much less) to DIFF_STEPS (much more).
export const diffColorIndex = (step: number): number => FIRST_DIFF + DIFF_STEPS + step;

// `step` is from 0 to HEAT_STEPS - 1.
export const heatColorIndex = (step: number): number => FIRST_HEAT + step;
