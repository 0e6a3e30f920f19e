// SPDX-License-Identifier: Apache-2.0
//
// Finds spans of a trace by text or /regex/ in name, service, status message, and attributes as "key=value".

import type { Trace } from "../../api/types";
import { parseTextQuery } from "../query/text_query";

export interface SpanMatches {
  readonly spans: readonly number[]; // in row order
  readonly isMatch: Uint8Array; // by span
}

const valueText = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

function isMatch(trace: Trace, i: number, test: (text: string) => boolean): boolean {
  const { spans } = trace;
  if (test(trace.names[spans.name[i] ?? 0] ?? "") || test(trace.services[spans.service[i] ?? 0] ?? "")) return true;
  if (test(spans.status_message[i] ?? "") || test(spans.span_id[i] ?? "")) return true;
  return Object.entries(spans.attributes[i] ?? {}).some(([key, value]) => test(`${key}=${valueText(value)}`));
}

// `matches` is null for an empty query. `error` is set for an invalid regular expression.
export function searchSpans(trace: Trace, text: string): { matches: SpanMatches | null; error: string } {
  const { test, error } = parseTextQuery(text.trim());
  if (test === null) return { matches: null, error };
  // Many spans share a resource, so each resource is tested once.
  const isOfResource = trace.resources.map(({ attributes }) =>
    Object.entries(attributes).some(([key, value]) => test(`${key}=${valueText(value)}`)),
  );
  const found = new Uint8Array(trace.spans.span_id.length);
  const spans: number[] = [];
  for (let i = 0; i < found.length; ++i) {
    if (isOfResource[trace.spans.resource[i] ?? 0] !== true && !isMatch(trace, i, test)) continue;
    found[i] = 1;
    spans.push(i);
  }
  return { matches: { spans, isMatch: found }, error: "" };
}

// The match after (or before) `current`, wrapping around; -1 if there is none.
export function stepMatch(spans: readonly number[], current: number, way: 1 | -1): number {
  if (way === 1) return spans.find((span) => span > current) ?? spans[0] ?? -1;
  return spans.filter((span) => span < current).at(-1) ?? spans.at(-1) ?? -1;
}
