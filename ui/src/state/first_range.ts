// SPDX-License-Identifier: Apache-2.0
//
// Moves a page that was opened without a range to a range with data.
import { getJson } from "../api/client";
import type { Health, Series } from "../api/types";
import { firstRange } from "../profile/time/first_range";
import { nanosToMs } from "../profile/time/time_range";
import { nowMs, update, urlState } from "./location";

const isOpen = (): boolean => {
  const query = new URLSearchParams(window.location.search);
  return ["from", "to", "scratch", "trace"].every((key) => !query.has(key));
};

// The start of the first step with data; null if there is none.
function firstData(series: Series): number | null {
  const steps = series.lines.map((line) => line.values.findIndex((value) => value !== 0)).filter((step) => step >= 0);
  return steps.length === 0 ? null : nanosToMs(series.from) + (Math.min(...steps) * series.step_ns) / 1e6;
}

export async function findFirstRange(): Promise<void> {
  if (!isOpen()) return;
  const { q, from, to } = urlState.peek();
  const { signal } = new AbortController();
  const series = await getJson<Series>(
    "series",
    [
      ["q", q],
      ["from", from],
      ["to", to],
      ["step", "1m"],
    ],
    signal,
  );
  const oldest = firstData(series);
  const newest = oldest === null ? (await getJson<Health>("health", [], signal)).store.newest : null;
  const range = firstRange(oldest, newest === null ? nowMs.peek() : nanosToMs(newest), nowMs.peek());
  if (range !== null && isOpen()) update(range, true);
}
