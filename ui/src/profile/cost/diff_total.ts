// SPDX-License-Identifier: Apache-2.0
//
// The headline of a comparison: the total cost before and after.
import type { Diff, DiffSide } from "../../api/types";
import { cores, formatCores, formatShare, formatSigned, formatValue } from "./units";

export interface DiffTotal {
  readonly before: string;
  readonly after: string;
  readonly per: string; // the base of the values, as text
  readonly change: number | null; // relative to the value before; null if that is 0
  readonly chance: string; // p-value, or that the change is within noise
}

const isRate = (diff: Diff): boolean =>
  diff.norm !== "none" && diff.norm !== "request" && diff.before.seconds > 0 && diff.after.seconds > 0;

function rateText(side: DiffSide, unit: string): string {
  const busy = cores(side.total, unit, side.seconds * 1e9);
  return busy === null ? `${formatValue(side.total / side.seconds, unit)}/s` : `${formatCores(busy)} cores`;
}

// For shares both totals are equal by definition, so show them per second if the duration is known.
export function diffTotal(diff: Diff): DiffTotal {
  const { before, after, unit } = diff;
  const rate = isRate(diff);
  const value = (side: DiffSide): number => (rate ? side.total / side.seconds : side.total);
  const scaled = diff.norm === "request" ? (diff.total_ratio ?? Number.NaN) : value(after) / value(before);
  return {
    before: rate ? rateText(before, unit) : formatValue(before.total, unit),
    after: rate ? rateText(after, unit) : formatValue(after.total, unit),
    per: rate ? "per instance" : diff.norm === "request" ? "change per request" : "in total",
    change: value(before) > 0 && Number.isFinite(scaled) ? scaled - 1 : null,
    chance: diff.total_significant
      ? diff.total_probability < 0.001
        ? "p < 0.001"
        : `p = ${diff.total_probability.toFixed(3)}`
      : "within noise",
  };
}

export const changeText = (change: number | null): string =>
  change === null ? "new" : formatSigned(formatShare(change), change);
