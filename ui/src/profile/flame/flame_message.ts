// SPDX-License-Identifier: Apache-2.0
//
// The message format between the worker and the page: columns are transferred, and each text is sent once.
import type { FlameTree } from "./flame_decoder";
import type { FlameLayout } from "./flame_layout";

export interface FlameRequest {
  readonly id: number;
  readonly buffer: ArrayBuffer;
}

export interface FlameReply {
  readonly id: number;
  readonly packed: PackedFlame | null;
  readonly error: string; // why `packed` is null
}

const TEXT_COLUMNS = ["name", "file", "module", "type"] as const;

export interface PackedFlame {
  readonly layout: Omit<FlameLayout, "tree">;
  readonly tree: Omit<FlameTree, "frames">;
  readonly texts: string; // all texts concatenated: one long text transfers much faster than many short ones
  readonly textEnds: Uint32Array;
  readonly columns: readonly Uint32Array[]; // one per TEXT_COLUMNS: positions in `textEnds`
  readonly line: Int32Array;
  readonly flags: Uint8Array;
}

export function packFlame(full: FlameLayout): { packed: PackedFlame; transfer: ArrayBufferLike[] } {
  const { tree, ...layout } = full;
  const { frames, ...bare } = tree;
  const places = new Map<string, number>();
  const columns = TEXT_COLUMNS.map((column) =>
    Uint32Array.from(frames[column], (text) => {
      const place = places.get(text) ?? places.size;
      places.set(text, place);
      return place;
    }),
  );
  let end = 0;
  const textEnds = Uint32Array.from(places.keys(), (text) => (end += text.length));
  const packed = {
    layout,
    tree: bare,
    texts: [...places.keys()].join(""),
    textEnds,
    columns,
    line: frames.line,
    flags: frames.flags,
  };
  const arrays = [
    ...layout.total,
    layout.width,
    layout.x,
    layout.parent,
    layout.end,
    layout.rowStart,
    layout.rowNodes,
    layout.rowX,
    layout.rowEnd,
    bare.depth,
    bare.frame,
    ...bare.self,
    ...(bare.probability === null ? [] : [bare.probability]),
    ...columns,
    textEnds,
    frames.line,
    frames.flags,
  ];
  return { packed, transfer: [...new Set(arrays.map((array) => array.buffer))] };
}

// Plain loops, because this runs on the main thread: Array.from() uses an iterator and is ten times slower.
export function unpackFlame(packed: PackedFlame): FlameLayout {
  const { textEnds } = packed;
  const texts = new Array<string>(textEnds.length);
  for (let i = 0, begin = 0; i < textEnds.length; ++i) {
    const end = textEnds[i] ?? begin;
    texts[i] = packed.texts.slice(begin, end);
    begin = end;
  }
  const column = (at: number): string[] => {
    const places = packed.columns[at] ?? new Uint32Array();
    const out = new Array<string>(places.length);
    for (let i = 0; i < places.length; ++i) out[i] = texts[places[i] ?? 0] ?? "";
    return out;
  };
  const frames = {
    name: column(0),
    file: column(1),
    module: column(2),
    type: column(3),
    line: packed.line,
    flags: packed.flags,
  };
  return { ...packed.layout, tree: { ...packed.tree, frames } };
}
