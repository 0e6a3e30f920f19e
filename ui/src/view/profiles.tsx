// SPDX-License-Identifier: Apache-2.0
//
// Single profiles as sent, not their sum.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ProfileRow, Profiles } from "../api/types";
import { formatCount, formatNanos, formatValue } from "../profile/cost/units";
import { formatSelector, type Matcher } from "../profile/query/selector";
import { EMPTY_STATE, scopeParameters, type UrlState } from "../profile/query/url_state";
import { msToNanos, nanosToMs } from "../profile/time/time_range";
import { go, hrefOf, urlState } from "../state/location";
import { useApi } from "../state/resource";
import { clock, day } from "../state/time_zone";
import { Panel, ServiceName, Shown, textOf } from "./parts/parts";

function stateOf(row: ProfileRow, scratch: string): UrlState {
  const matchers: Matcher[] = ["service.name", "service.version", "service.instance.id", "host.name"]
    .filter((key) => row.resource[key] !== undefined)
    .map((key) => ({ key, operator: "=", value: textOf(row.resource[key]) }));
  const start = nanosToMs(row.time);
  return {
    ...EMPTY_STATE,
    q: formatSelector(matchers),
    scratch,
    type: `${row.type}:${row.unit}`,
    from: msToNanos(start),
    to: msToNanos(start + Math.max(1, row.duration_ns / 1e6)),
  };
}

export function ProfilesPage(): JSX.Element {
  const state = urlState.value;
  const profiles = useApi<Profiles>("profiles", [...scopeParameters(state), ["limit", "300"]]);
  const [first, setFirst] = useState<ProfileRow | null>(null);
  const compare = (second: ProfileRow): void => {
    if (first === null) {
      setFirst(second);
      return;
    }
    const [before, after] = nanosToMs(first.time) <= nanosToMs(second.time) ? [first, second] : [second, first];
    const base = stateOf(before, state.scratch);
    go("/diff", {
      ...stateOf(after, state.scratch),
      baseline: { q: base.q, from: base.from, to: base.to, type: base.type },
    });
  };
  return (
    <>
      <div class="page-head">
        <h1>Profiles</h1>
        <span class="muted">As received, newest first. {first !== null && "Select a second profile to compare."}</span>
        {first !== null && (
          <button type="button" class="button" onClick={() => setFirst(null)}>
            Cancel
          </button>
        )}
      </div>
      <Panel
        title={
          profiles.data === null
            ? "Profiles"
            : `${Math.min(300, profiles.data.profile_count)} of ${formatCount(profiles.data.profile_count)} profiles`
        }
        isFlush
        isLoading={profiles.isLoading}
      >
        <Shown of={profiles}>
          {(data) => (
            <table class="list">
              <colgroup>
                <col style={{ width: "170px" }} />
                <col />
                <col style={{ width: "100px" }} />
                <col style={{ width: "150px" }} />
                <col style={{ width: "110px" }} />
                <col style={{ width: "90px" }} />
                <col style={{ width: "90px" }} />
                <col style={{ width: "100px" }} />
                <col style={{ width: "110px" }} />
              </colgroup>
              <thead>
                <tr>
                  <th>Time</th>
                  <th>Service</th>
                  <th>Version</th>
                  <th>Host</th>
                  <th>Type</th>
                  <th class="number">Duration</th>
                  <th class="number">Samples</th>
                  <th class="number">Total</th>
                  <th>
                    <span class="visually-hidden">Compare</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.profiles.map((row) => (
                  <tr key={row.profile_id + row.type} aria-selected={first === row}>
                    <td class="number">
                      <a href={hrefOf("/explore", stateOf(row, state.scratch))}>
                        {day(nanosToMs(row.time))} {clock(nanosToMs(row.time))}
                      </a>
                    </td>
                    <td>
                      <ServiceName name={textOf(row.resource["service.name"] ?? "")} />
                    </td>
                    <td class="muted">{textOf(row.resource["service.version"] ?? "")}</td>
                    <td class="muted">{textOf(row.resource["host.name"] ?? "")}</td>
                    <td>{row.type}</td>
                    <td class="number">{formatNanos(row.duration_ns)}</td>
                    <td class="number">{formatCount(row.samples)}</td>
                    <td class="number">{formatValue(row.total, row.unit)}</td>
                    <td>
                      <button type="button" class="button ghost" onClick={() => compare(row)}>
                        {first === row ? "Selected" : "Compare"}
                      </button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Shown>
      </Panel>
    </>
  );
}
