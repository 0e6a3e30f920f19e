// SPDX-License-Identifier: Apache-2.0
//
// The colours of the nodes of a flame graph: one byte per node, an index into the palette, so that boxes of one colour are
// filled together.

import {
  DIFF_STEPS,
  diffColorIndex,
  HEAT_STEPS,
  HIDDEN,
  hashedColorIndex,
  heatColorIndex,
  NEUTRAL,
  typeColorIndex,
} from "../color/palette";
import { type FlameTree, FRAME_FOLDED } from "./flame_decoder";
import type { FlameLayout } from "./flame_layout";

export type ColorMode = "type" | "module" | "package" | "self" | "diff" | "none";

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
    else if (mode === "module") colors[i] = hashedColorIndex(own);
    else if (mode === "package")
      colors[i] = hashedColorIndex(packageOf(name[i] ?? "", own) || (hasNoKinds ? (name[i] ?? "") : ""));
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
      colors[i] = isFolded ? NEUTRAL : diffColorIndex(diffStep(change, largest, tree.probability?.[i] ?? 0));
    }
    return colors;
  }
  if (mode === "self") {
    const self = tree.self.at(-1) ?? new Float64Array();
    let largest = 0;
    for (const value of self) largest = Math.max(largest, value);
    for (let i = 0; i < tree.count; ++i) {
      const part = largest > 0 ? Math.max(0, self[i] ?? 0) / largest : 0;
      colors[i] = heatColorIndex(Math.min(HEAT_STEPS - 1, Math.floor(Math.sqrt(part) * HEAT_STEPS)));
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
