// SPDX-License-Identifier: Apache-2.0
//
// The number of matching records over time, by severity. Counts all records, not only the loaded ones.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { LogVolume } from "../../api/types";
import { severityColor } from "../../profile/color/series_color";
import { formatCount, formatNanos } from "../../profile/cost/units";
import { nanosToMs } from "../../profile/time/time_range";
import { update } from "../../state/location";
import { theme } from "../../state/theme";
import { Chart } from "../graphs/chart";

export function LogVolumePanel({ data }: { readonly data: LogVolume | null }): JSX.Element | null {
  const mode = theme.value;
  const chart = useMemo(() => {
    if (data === null) return null;
    const start = nanosToMs(data.start);
    return {
      timesMs: Array.from({ length: data.lines[0]?.values.length ?? 0 }, (_, i) => start + (i * data.step) / 1e6),
      lines: data.lines.map(({ severity, values }) => ({
        label: severity === "none" ? "no severity" : severity,
        values,
        color: severityColor(severity, mode),
      })),
    };
  }, [data, mode]);
  if (data === null || chart === null || data.count === 0 || chart.timesMs.length < 3) return null;
  const count = `${formatCount(data.count)}${data.meta?.partial === true ? "+" : ""}`;
  return (
    <div class="panel strip" title={`${count} records, in steps of ${formatNanos(data.step)}`}>
      <Chart
        timesMs={chart.timesMs}
        lines={chart.lines}
        isStacked
        height={84}
        format={formatCount}
        label="Log records over time"
        onBrush={(from, to) => update({ from: String(Math.round(from)), to: String(Math.round(to)) })}
      />
    </div>
  );
}
