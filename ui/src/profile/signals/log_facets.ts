// SPDX-License-Identifier: Apache-2.0
//
// Facets of log records: services, severities and message patterns.
import type { LogRecord, LogVolume } from "../../api/types";

export interface Facet {
  readonly value: string;
  readonly count: number;
}

export interface LogFacets {
  readonly services: readonly Facet[];
  readonly severities: readonly Facet[];
  readonly patterns: readonly Facet[]; // with # for numbers
  readonly isOfAll: boolean; // counted by the server over all matching records, not only over the loaded ones
  readonly count: number; // counted records
  readonly isCapped: boolean; // `count` is a lower bound
}

const SEVERITIES = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
export const PATTERNS_MAX = 12;
const PATTERN_LENGTH_MAX = 120;

// 1 to 24 in groups of four, as OpenTelemetry defines them.
export const severityName = (severity: number): string =>
  SEVERITIES[Math.min(5, Math.max(0, Math.floor((severity - 1) / 4)))] ?? "trace";

const NUMBER = /\b(?:[0-9a-f]{8,}|\d[\d.,:]*\d|\d)/gi;

export function patternOf(body: string): string {
  return body.slice(0, PATTERN_LENGTH_MAX).replace(NUMBER, "#");
}

// A regular expression for the server's search that matches all records of a pattern.
export function regexOfPattern(pattern: string): string {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return `/^${escaped.replace(/#/g, "[0-9a-fA-F.,:]+")}/`;
}

function count(values: Iterable<string>): Facet[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, of]) => ({ value, count: of }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

// Over the loaded records, if the server has no counts.
export function facetsOf(records: readonly LogRecord[]): LogFacets {
  const severities = count(records.map((record) => severityName(record.severity)));
  return {
    services: count(records.map((record) => record.service)),
    severities: [...severities].sort(
      (a, b) => SEVERITIES.indexOf(b.value as "info") - SEVERITIES.indexOf(a.value as "info"),
    ),
    patterns: count(
      records.flatMap((record) => (typeof record.body === "string" ? [patternOf(record.body)] : [])),
    ).slice(0, PATTERNS_MAX),
    isOfAll: false,
    count: records.length,
    isCapped: false,
  };
}

// Over all matching records; null if the server did not count them.
export function facetsOfAll(volume: LogVolume | null): LogFacets | null {
  if (volume?.facets === undefined) return null;
  const { services, severities, patterns } = volume.facets;
  return {
    services: services.values,
    severities: severities.values,
    patterns: patterns.values,
    isOfAll: true,
    count: volume.count,
    isCapped: volume.meta?.partial === true,
  };
}

// Marks lower bounds: "10k+".
export const facetCount = (text: string, isCapped: boolean): string => (isCapped ? `${text}+` : text);
