// SPDX-License-Identifier: Apache-2.0
//
// The heat map of a profile: cost over time, with cells down to 20 ms.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Heat as HeatAnswer } from "../../api/types";
import { heatColors, type TimeAxis } from "../../draw/heat_canvas";
import { formatNanos, formatValue } from "../../profile/cost/units";
import { parseQuery } from "../../profile/flame/search";
import { msToNanos, nanosToMs } from "../../profile/time/time_range";
import { range, update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { theme } from "../../state/theme";
import { clock, timeZone } from "../../state/time_zone";
import { Heat, INK } from "../graphs/chart";
import { NoSampleTimes, Shown } from "../parts/parts";

const CELLS_MS = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000];
const ROWS = [10, 20, 30, 50]; // each gives columns of a round duration

const rowsFor = (cells: number): number => ROWS.find((rows) => rows >= Math.sqrt(cells / 4)) ?? 50;

export function HeatView({
  scope,
  axis,
}: {
  readonly scope: readonly (readonly [string, string])[];
  readonly axis: TimeAxis | null;
}): JSX.Element {
  const state = urlState.value;
  const { from, to } = range.value;
  const cellMs = CELLS_MS.find((ms) => (to - from) / ms <= 12_000) ?? 300_000;
  const { query } = parseQuery(state.s);
  const heat = useApi<HeatAnswer>("heat", [
    ...scope.map(([key, value]) => [key, value] as [string, string]),
    ["cell", `${cellMs}ms`],
    ...(query === null ? [] : [["match", state.s.replace(/^\/(.*)\/$/, "$1")] as [string, string]]),
  ]);
  return (
    <div class="heat-view">
      <Shown of={heat}>
        {(data) => (data.has_sample_times ? <HeatMap data={data} axis={axis} /> : <NoSampleTimes />)}
      </Shown>
    </div>
  );
}

function HeatMap({ data, axis }: { readonly data: HeatAnswer; readonly axis: TimeAxis | null }): JSX.Element {
  const [cell, setCell] = useState<number | null>(null);
  const mode = theme.value;
  const zone = timeZone.value;
  const start = nanosToMs(data.from);
  const step = data.cell_ns / 1e6;
  const rows = rowsFor(data.cells.length);
  const largest = useMemo(() => data.cells.reduce((most, value) => Math.max(most, value), 0), [data]);
  const drawn = useMemo(
    () => ({ cells: data.cells, largest, rows, startMs: start, cellMs: step, axis, theme: mode, ink: INK[mode], zone }),
    [data, axis, mode, zone],
  );
  const at = (index: number): number => start + index * step;
  return (
    <>
      <Heat
        data={drawn}
        label={`Cost per cell of ${formatNanos(data.cell_ns)}, up to ${formatValue(largest * data.scale, data.unit)}`}
        onHover={setCell}
        onSelect={(first, last) => update({ from: msToNanos(at(first)), to: msToNanos(at(last + 1)), view: "icicle" })}
      />
      <div class="status-line">
        <HeatScale largest={largest * data.scale} unit={data.unit} />
        <span>
          1 cell = {formatNanos(data.cell_ns)}, 1 column = {formatNanos(data.cell_ns * rows)}
        </span>
        {cell !== null && (
          <b>
            {clock(at(cell), true)}: {formatValue((data.cells[cell] ?? 0) * data.scale, data.unit)}
          </b>
        )}
        <span class="grow" />
        <span>Drag over cells to see their flame graph</span>
      </div>
    </>
  );
}

// The colour scale. The middle is a quarter of the maximum, because colours follow the square root.
function HeatScale({ largest, unit }: { readonly largest: number; readonly unit: string }): JSX.Element {
  const colors = heatColors(theme.value);
  return (
    <span class="heat-scale" role="img" aria-label={`Colour scale: 0 to ${formatValue(largest, unit)} per cell`}>
      <span class="ramp" style={{ background: `linear-gradient(to right, ${colors.join(", ")})` }} />
      <span class="ends number">
        <span>0</span>
        <span>{formatValue(largest / 4, unit)}</span>
        <span>{formatValue(largest, unit)}</span>
      </span>
    </span>
  );
}
