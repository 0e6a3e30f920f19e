// SPDX-License-Identifier: Apache-2.0
//
// Services with a new version in this time range, and what it changed.
import type { JSX } from "preact";
import type { Regressions, Service } from "../../api/types";
import { formatShare, formatSigned, formatValue } from "../../profile/cost/units";
import { withMatch } from "../../profile/query/selector";
import { scopeOf, scopeParameters } from "../../profile/query/url_state";
import { urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { FunctionName, Panel, ServiceName } from "../parts/parts";
import { compareHref } from "./service";

const SHOWN_MAX = 4; // one request each

export function NewVersions({ services }: { readonly services: readonly Service[] }): JSX.Element | null {
  const changed = services.filter((service) => service.versions.filter((version) => version.version !== "").length > 1);
  if (changed.length === 0) return null;
  return (
    <Panel title="New versions" isFlush>
      <table class="list">
        <colgroup>
          <col style={{ width: "120px" }} />
          <col style={{ width: "110px" }} />
          <col style={{ width: "176px" }} />
          <col />
          <col style={{ width: "84px" }} />
        </colgroup>
        <tbody>
          {changed.slice(0, SHOWN_MAX).map((service) => (
            <Row key={service.service} service={service.service} />
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function Row({ service }: { readonly service: string }): JSX.Element {
  const state = { ...scopeOf(urlState.value), q: withMatch(urlState.value.q, "service.name", service) };
  const { data, error } = useApi<Regressions>("regressions", [...scopeParameters(state), ["limit", String(ROWS)]]);
  const before = data?.before;
  const after = data?.after;
  if (error !== null || (data !== null && (before === undefined || after === undefined))) {
    return (
      <tr>
        <td>
          <ServiceName name={service} />
        </td>
        <td colSpan={4} class="muted">
          {error?.message ?? "only one version in this time range"}
        </td>
      </tr>
    );
  }
  if (data === null || before === undefined || after === undefined)
    return (
      <tr>
        <td>
          <ServiceName name={service} />
        </td>
        <td colSpan={4} class="faint">
          Loading …
        </td>
      </tr>
    );
  const isPerRequest = data.norm === "request" && (data.requests_before ?? 0) > 0;
  const change = isPerRequest ? data.total_delta / before.total : 0;
  const first = innermost(data.rows);
  return (
    <tr>
      <td>
        <ServiceName name={service} />
      </td>
      <td class="muted">
        {before.version} → <b>{after.version}</b>
      </td>
      <td class={change > 0 ? "more" : "less"}>
        {isPerRequest ? (
          <b>{formatSigned(formatShare(change), change)} per request</b>
        ) : (
          <span class="muted">no request count</span>
        )}
      </td>
      <td>
        {first === undefined ? (
          <span class="muted">no significant change</span>
        ) : (
          <span class="row">
            <span class="clip">
              <FunctionName name={first.function} scope={{ q: state.q }} />
            </span>{" "}
            <span class="muted">
              {formatSigned(
                formatValue(isPerRequest ? first.delta / (data.requests_before ?? 1) : first.delta, data.unit),
                first.delta,
              )}
            </span>
          </span>
        )}
      </td>
      <td>
        <a href={compareHref(state, before.version, after.version)}>Compare</a>
      </td>
    </tr>
  );
}

const ROWS = 20;
const SAME_CHANGE = 0.95;

// A change in a function also appears in its callers. The last row with nearly the whole change is more useful than the
// first, which is main.
function innermost<T extends { readonly delta: number }>(rows: readonly T[]): T | undefined {
  const most = rows[0]?.delta ?? 0;
  return rows.filter((row) => row.delta / most >= SAME_CHANGE).at(-1);
}
