// SPDX-License-Identifier: Apache-2.0
//
// The lines of a function with what each costs: rows of the profile put beside the text of the file.
import type { LineRow, Series, SourceAnswer } from "../api/types";

// What the profile has of a function in one file.
export interface FileCosts {
  readonly file: string; // empty: not known
  readonly first: number; // lines that are known to be in the function; 0: none
  readonly last: number;
  readonly start: number; // where it begins; 0: not known
  readonly buildId: string;
  readonly total: number; // of all lines; a stack counts once for each of its lines
  readonly rows: readonly LineRow[]; // by line
}

export interface SourceRow {
  readonly line: number; // 0: not known
  readonly text: string | null; // null: the text was not found
  readonly self: number;
  readonly total: number;
}

// The most expensive file first: a function in two files is two functions of one name.
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

// All lines of the text, and those with a cost that are not in it.
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

// Whose code it is: the service and version that has most of the cost.
export function costliestVersion(series: Series | null): { readonly service: string; readonly version: string } {
  const line = [...(series?.lines ?? [])].filter((one) => !one.rest).sort((a, b) => b.total - a.total)[0];
  return { service: line?.labels["service.name"] ?? "", version: line?.labels["service.version"] ?? "" };
}
