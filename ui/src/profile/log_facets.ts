// SPDX-License-Identifier: Apache-2.0
//
// What log records have in common: who wrote them, how bad they are, and which sentences they repeat.
import type { LogRecord } from "../api/types";

export interface Facet {
  readonly value: string;
  readonly count: number;
}

export interface LogFacets {
  readonly services: readonly Facet[];
  readonly severities: readonly Facet[];
  readonly sentences: readonly Facet[]; // with # for numbers
}

const SEVERITIES = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
const SENTENCES_MAX = 12;
const SENTENCE_LENGTH_MAX = 120;

// 1 to 24 in groups of four, as OpenTelemetry has them.
export const severityName = (severity: number): string => SEVERITIES[Math.min(5, Math.max(0, Math.floor((severity - 1) / 4)))] ?? "trace";

const NUMBER = /\b(?:[0-9a-f]{8,}|\d[\d.,:]*\d|\d)/gi;

export function sentenceOf(body: string): string {
  return body.slice(0, SENTENCE_LENGTH_MAX).replace(NUMBER, "#");
}

// A regular expression, as the server's search takes it, for all records of a sentence.
export function regexOfSentence(sentence: string): string {
  const escaped = sentence.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return `/^${escaped.replace(/#/g, "[0-9a-fA-F.,:]+")}/`;
}

function count(values: Iterable<string>): Facet[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, of]) => ({ value, count: of })).sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

export function facetsOf(records: readonly LogRecord[]): LogFacets {
  const severities = count(records.map((record) => severityName(record.severity)));
  return {
    services: count(records.map((record) => record.service)),
    severities: [...severities].sort((a, b) => SEVERITIES.indexOf(b.value as "info") - SEVERITIES.indexOf(a.value as "info")),
    sentences: count(records.flatMap((record) => (typeof record.body === "string" ? [sentenceOf(record.body)] : []))).slice(0, SENTENCES_MAX),
  };
}
