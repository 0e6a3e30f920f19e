// SPDX-License-Identifier: Apache-2.0
//
// The colours of boxes. A graph has one byte per node, an index into these tables, so that boxes of one colour are
// filled together. The hue shows the frame type, and small changes of lightness show the module.
import { css, hashText, oklch, type Rgb } from "./color";
import { type FlameTree, FRAME_FOLDED } from "./flame_decoder";
import type { FlameLayout } from "./flame_layout";

export type Theme = "light" | "dark";
export type ColorMode = "type" | "module" | "package" | "self" | "diff" | "none";

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
const DIFF_STEPS = 6; // per direction

const NEUTRAL = 0; // folded, root, no colour
const FIRST_TYPE = 1;
const TYPE_NAMES = Object.keys(HUES);
const FIRST_HASHED = FIRST_TYPE + TYPE_NAMES.length * SHADES;
const FIRST_DIFF = FIRST_HASHED + HASHED_HUES * SHADES;
const FIRST_HEAT = FIRST_DIFF + 2 * DIFF_STEPS + 1;
const HEAT_STEPS = 6;
export const DIM = FIRST_HEAT + HEAT_STEPS; // boxes that do not match a search
const HIDDEN = DIM + 1; // time without samples
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

function hashedIndex(text: string): number {
  if (text === "") return NEUTRAL;
  const hash = hashText(text);
  return FIRST_HASHED + (hash % HASHED_HUES) * SHADES + ((hash >>> 8) % SHADES);
}

export const packageOf = (name: string, module: string): string => {
  const scope = name.includes("::")
    ? name.slice(0, name.lastIndexOf("::")).split("<")[0]
    : /^[\w/.$-]+\.[\w$(]/.test(name)
      ? name.slice(0, name.lastIndexOf("."))
      : "";
  return scope === undefined || scope === "" ? module : scope;
};

// Without frame types, colour by package instead of one colour for all; without packages, by name.
function frameColors(tree: FlameTree, wanted: ColorMode): Uint8Array {
  const { name, module, type, flags } = tree.frames;
  const hasNoKinds = wanted === "type" && type.every((text) => text === "");
  const mode = hasNoKinds ? "package" : wanted;
  const colors = new Uint8Array(name.length);
  for (let i = 0; i < colors.length; ++i) {
    const own = module[i] ?? "";
    if (((flags[i] ?? 0) & FRAME_FOLDED) !== 0 || name[i] === "" || mode === "none") colors[i] = NEUTRAL;
    else if (mode === "module") colors[i] = hashedIndex(own);
    else if (mode === "package")
      colors[i] = hashedIndex(packageOf(name[i] ?? "", own) || (hasNoKinds ? (name[i] ?? "") : ""));
    else colors[i] = typeColorIndex(type[i] ?? "", own);
  }
  return colors;
}

// Maps a change from -1 to 1 to a step. Changes within noise are grey.
export function diffStep(change: number, scale: number, probability: number): number {
  if (probability > 0.05 || change === 0 || scale <= 0) return 0;
  const size = Math.min(1, Math.abs(change) / scale);
  return Math.sign(change) * Math.max(1, Math.ceil(Math.sqrt(size) * DIFF_STEPS));
}

// One colour per node. `scale` is the factor for the later side of a comparison.
export function nodeColors(layout: FlameLayout, mode: ColorMode, scale = 1): Uint8Array {
  const { tree } = layout;
  const colors = new Uint8Array(tree.count);
  if (mode === "diff" && layout.total.length === 2) {
    const [before, after] = layout.total as [Float64Array, Float64Array];
    const largest = Math.max(1, layout.width[0] ?? 1) * 0.2;
    for (let i = 0; i < tree.count; ++i) {
      const change = (after[i] ?? 0) * scale - (before[i] ?? 0);
      const isFolded = tree.folded.has(i);
      colors[i] = isFolded ? NEUTRAL : FIRST_DIFF + DIFF_STEPS + diffStep(change, largest, tree.probability?.[i] ?? 0);
    }
    return colors;
  }
  if (mode === "self") {
    const self = tree.self.at(-1) ?? new Float64Array();
    let largest = 0;
    for (const value of self) largest = Math.max(largest, value);
    for (let i = 0; i < tree.count; ++i) {
      const part = largest > 0 ? Math.max(0, self[i] ?? 0) / largest : 0;
      colors[i] = FIRST_HEAT + Math.min(HEAT_STEPS - 1, Math.floor(Math.sqrt(part) * HEAT_STEPS));
    }
    return colors;
  }
  const ofFrame = frameColors(tree, mode);
  for (let i = 0; i < tree.count; ++i) {
    const frame = tree.frame[i] ?? 0;
    colors[i] = i > 0 && tree.frames.name[frame] === "" ? HIDDEN : (ofFrame[frame] ?? NEUTRAL);
  }
  return colors;
}

// For lines and bars: contrast of at least 3:1 with the page background, assigned by order and not by name.
const SERIES_HUES = [252, 45, 155, 325, 95, 200, 15, 285, 125, 225, 65, 345];

export function seriesColor(index: number, theme: Theme): string {
  const hue = SERIES_HUES[index % SERIES_HUES.length] ?? 0;
  return css(theme === "light" ? oklch(0.58, 0.14, hue) : oklch(0.72, 0.13, hue));
}

// The same service has the same colour on every page.
export function nameColor(name: string, theme: Theme): string {
  return seriesColor(hashText(name) % SERIES_HUES.length, theme);
}

// More severe is warmer. Records without a severity are grey.
const SEVERITY_HUES: Readonly<Record<string, number>> = {
  trace: 285,
  debug: 252,
  info: 225,
  warn: 75,
  error: 25,
  fatal: 345,
};

export function severityColor(severity: string, theme: Theme): string {
  const hue = SEVERITY_HUES[severity];
  const chroma = hue === undefined ? 0.01 : 0.14;
  return css(theme === "light" ? oklch(0.62, chroma, hue ?? 250) : oklch(0.7, chroma, hue ?? 250));
}
