// SPDX-License-Identifier: Apache-2.0
//
// The timeline: what each thread did over time, for a span or a short time range.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Samples } from "../../api/types";
import { ROW_PX } from "../../draw/flame_canvas";
import { formatCount, formatNanos } from "../../profile/cost/units";
import { type FlameLayout, layOut } from "../../profile/flame/flame_layout";
import type { ColorMode } from "../../profile/flame/node_colors";
import { parseQuery, searchFlame } from "../../profile/flame/search";
import { timeTree } from "../../profile/flame/time_tree";
import { nanosToMs } from "../../profile/time/time_range";
import { update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { clock } from "../../state/time_zone";
import { FlameView } from "../graphs/flame_view";
import { NoSampleTimes, Shown } from "../parts/parts";

const EVENTS_MAX = 10_000;
const LANES_MAX = 8;

export function TimeView({
  scope,
  onSelect,
}: {
  readonly scope: readonly (readonly [string, string])[];
  readonly onSelect: (name: string) => void;
}): JSX.Element {
  const samples = useApi<Samples>("samples", [...scope, ["limit", String(EVENTS_MAX)]]);
  return (
    <div class="scroll">
      <Shown of={samples}>
        {(data) => (hasTimes(data) ? <Lanes data={data} onSelect={onSelect} /> : <NoSampleTimes />)}
      </Shown>
    </div>
  );
}

// True if at least half of the samples have timestamps. Otherwise the view would mostly show the start times of profiles.
const hasTimes = (data: Samples): boolean => data.timeless_count * 2 <= data.event_count;

function Lanes({ data, onSelect }: { readonly data: Samples; readonly onSelect: (name: string) => void }): JSX.Element {
  const lanes = useMemo(() => {
    const end = data.events.time.reduce(
      (latest, time, i) => Math.max(latest, time + (data.unit === "nanoseconds" ? (data.events.value[i] ?? 0) : 1e6)),
      1,
    );
    const counts = data.lanes.map((name, lane) => ({
      name,
      lane,
      count: data.events.lane.filter((of) => of === lane).length,
    }));
    return [...counts]
      .sort((a, b) => b.count - a.count)
      .slice(0, LANES_MAX)
      .map((entry) => ({ ...entry, layout: layOut(timeTree(data, entry.lane, 0, end)) }));
  }, [data]);
  const begin = nanosToMs(data.begin);
  const isCut = data.next !== null;
  const timeless = data.timeless_count;
  const end = lanes[0]?.layout.width[0] ?? 0;
  return (
    <>
      <div class="status-line">
        <span>
          {formatNanos(end)} from {clock(begin, true)}, {formatCount(data.events.time.length)}
          {isCut ? ` of ${formatCount(data.event_count)}` : ""} samples
        </span>
        {isCut && (
          <span>
            not all shown:{" "}
            <button
              type="button"
              class="name-button"
              onClick={() => update({ from: data.begin, to: String(Math.round(begin + end / 1e6)) })}
            >
              zoom to these {formatNanos(end)}
            </button>{" "}
            or drag over a shorter range above
          </span>
        )}
        {timeless > 0 && (
          <span>{formatCount(timeless)} have no timestamp and are drawn at the start of their profile</span>
        )}
        {data.lanes.length > LANES_MAX && (
          <span>
            showing the {LANES_MAX} busiest of {data.lanes.length} threads
          </span>
        )}
      </div>
      {lanes.map((lane) => (
        <Lane key={lane.name} name={lane.name} count={lane.count} layout={lane.layout} onSelect={onSelect} />
      ))}
    </>
  );
}

function Lane({
  name,
  count,
  layout,
  onSelect,
}: {
  readonly name: string;
  readonly count: number;
  readonly layout: FlameLayout;
  readonly onSelect: (name: string) => void;
}): JSX.Element {
  const { s, color } = urlState.value;
  const matches = useMemo(() => {
    const { query } = parseQuery(s);
    return query === null ? null : searchFlame(layout, query);
  }, [layout, s]);
  const nameOf = (node: number): string => layout.tree.frames.name[layout.tree.frame[node] ?? 0] ?? "";
  return (
    <section class="lane">
      <h2>
        {name} <span class="faint">{formatCount(count)} samples</span>
      </h2>
      <div class="lane-flame" style={{ height: `${Math.min(14, layout.rowCount - 1) * ROW_PX + 2}px` }}>
        <FlameView
          layout={layout}
          colorMode={color as ColorMode}
          matching={matches?.frames ?? null}
          isRootBelow={false}
          isOverTime
          zoomed={0}
          selected={0}
          label={`Timeline of ${name}`}
          onSelect={(node) => onSelect(nameOf(node))}
          onZoom={(node) => onSelect(nameOf(node))}
        />
      </div>
    </section>
  );
}
