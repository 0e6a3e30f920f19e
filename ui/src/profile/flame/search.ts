// SPDX-License-Identifier: Apache-2.0
//
// Search in a graph: plain text or /regex/, optionally prefixed with file:, mod: or type:.

import { parseTextQuery } from "../query/text_query";
import { FRAME_FOLDED, type FrameTable } from "./flame_decoder";
import type { FlameLayout } from "./flame_layout";

export interface Query {
  readonly field: "name" | "file" | "module" | "type";
  readonly test: (text: string) => boolean;
}

export type ParsedQuery = { readonly query: Query | null; readonly error: string };

const FIELDS: Readonly<Record<string, Query["field"]>> = { file: "file", mod: "module", type: "type" };

export function parseQuery(text: string): ParsedQuery {
  const prefix = /^(file|mod|type):/.exec(text);
  const field = FIELDS[prefix?.[1] ?? ""] ?? "name";
  const rest = prefix === null ? text : text.slice(prefix[0].length);
  const { test, error } = parseTextQuery(rest);
  return { query: test === null ? null : { field, test }, error };
}

export interface Matches {
  readonly frames: Uint8Array; // 1 for each matching frame
  readonly nodes: readonly number[]; // in preorder
  readonly total: number; // cost of the stacks with a match; nested matches count once
}

export function matchFrames(frames: FrameTable, query: Query): Uint8Array {
  const texts = frames[query.field];
  const found = new Uint8Array(texts.length);
  // "(other)" is not a function.
  for (let i = 0; i < texts.length; ++i)
    found[i] = ((frames.flags[i] ?? 0) & FRAME_FOLDED) === 0 && query.test(texts[i] ?? "") ? 1 : 0;
  return found;
}

export function searchFlame(layout: FlameLayout, query: Query): Matches {
  const frames = matchFrames(layout.tree.frames, query);
  const nodes: number[] = [];
  let total = 0;
  let countedUntil = 0;
  for (let i = 0; i < layout.tree.count; ++i) {
    if (frames[layout.tree.frame[i] ?? 0] !== 1) continue;
    nodes.push(i);
    if (i < countedUntil) continue;
    total += layout.width[i] ?? 0;
    countedUntil = layout.end[i] ?? 0;
  }
  return { frames, nodes, total };
}
