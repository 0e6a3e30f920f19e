// SPDX-License-Identifier: Apache-2.0
//
// The source lines of a function with their cost: joins rows of the profile with the text of the file.
import type { LineRow, Series, SourceAnswer } from "../../api/types";

// The profile data of a function in one file.
export interface FileCosts {
  readonly file: string; // empty: unknown
  readonly first: number; // first line known to be in the function; 0: none
  readonly last: number;
  readonly start: number; // first line of the function; 0: unknown
  readonly buildId: string;
  readonly total: number; // of all lines; a stack counts once for each of its lines
  readonly rows: readonly LineRow[]; // by line
}

export interface SourceRow {
  readonly line: number; // 0: unknown
  readonly text: string | null; // null: no source text
  readonly self: number;
  readonly total: number;
}

// Costliest file first. Functions in two files are different functions with the same name.
export function costsByFile(rows: readonly LineRow[]): FileCosts[] {
  const files = new Map<string, LineRow[]>();
  for (const row of rows) {
    const file = row.file ?? "";
    files.set(file, [...(files.get(file) ?? []), row]);
  }
  const all = [...files].map(([file, of]): FileCosts => {
    const sorted = [...of].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
    const known = sorted.map((row) => row.line ?? 0).filter((line) => line > 0);
    return {
      file,
      first: known[0] ?? 0,
      last: known[known.length - 1] ?? 0,
      start: of[0]?.start_line ?? 0,
      buildId: of[0]?.build_id ?? "",
      total: of.reduce((sum, row) => sum + row.total, 0),
      rows: sorted,
    };
  });
  return all.sort((a, b) => b.total - a.total);
}

// All lines of the text, and lines with a cost outside it.
export function sourceRows(costs: FileCosts, source: SourceAnswer | null): SourceRow[] {
  const rows = new Map<number, SourceRow>();
  for (const row of costs.rows)
    rows.set(row.line ?? 0, { line: row.line ?? 0, text: null, self: row.self, total: row.total });
  (source?.lines ?? []).forEach((text, i) => {
    const line = (source?.first_line ?? 1) + i;
    rows.set(line, { line, text, self: rows.get(line)?.self ?? 0, total: rows.get(line)?.total ?? 0 });
  });
  return [...rows.values()].sort((a, b) => a.line - b.line);
}

// The service and version with most of the cost, whose code is shown.
export function costliestVersion(series: Series | null): { readonly service: string; readonly version: string } {
  const line = [...(series?.lines ?? [])].filter((one) => !one.rest).sort((a, b) => b.total - a.total)[0];
  return { service: line?.labels["service.name"] ?? "", version: line?.labels["service.version"] ?? "" };
}
