// SPDX-License-Identifier: Apache-2.0
//
// The cost of a scope by the values of one attribute. Selecting a value narrows the scope.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AttributeKeys, Breakdown } from "../../api/types";
import { formatValue } from "../../profile/cost/units";
import { withMatch } from "../../profile/query/selector";
import { scopeParameters } from "../../profile/query/url_state";
import { update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { Share, Shown } from "../parts/parts";

const FIRST_CHOICES = ["service.name", "service.version", "thread.name", "host.name"];

export function BreakdownSection(): JSX.Element {
  const state = urlState.value;
  const scope = scopeParameters(state);
  const keys = useApi<AttributeKeys>("attrs", scope);
  const [chosen, setChosen] = useState("");
  const known = (keys.data?.keys ?? []).filter((key) => key.value_count > 1);
  const key =
    chosen !== ""
      ? chosen
      : (FIRST_CHOICES.find((name) => known.some((entry) => entry.key === name)) ?? known[0]?.key ?? "");
  const breakdown = useApi<Breakdown>(key === "" ? null : "attr-breakdown", [...scope, ["key", key], ["topk", "12"]]);
  if (keys.data !== null && known.length === 0)
    return (
      <section>
        <h2>By label</h2>
        <span class="muted">All samples have the same labels.</span>
      </section>
    );
  return (
    <section>
      <h2 class="row">
        <span class="grow">By label</span>
        <select aria-label="Label" value={key} onChange={(event) => setChosen(event.currentTarget.value)}>
          {known.map((entry) => (
            <option key={entry.key} value={entry.key}>
              {entry.key} ({entry.value_count})
            </option>
          ))}
        </select>
      </h2>
      <Shown of={breakdown}>
        {(data) => (
          <>
            {data.rows.map((row) => (
              <div key={row.value} class="breakdown-row">
                {row.missing ? (
                  <span class="muted">(not set)</span>
                ) : (
                  <button
                    type="button"
                    class="name-button clip"
                    title={`Filter by ${key} = ${row.value}`}
                    onClick={() => update({ q: withMatch(state.q, key, row.value), z: "", zn: "" })}
                  >
                    {row.value === "" ? "(empty)" : row.value}
                  </button>
                )}
                <span class="number">{formatValue(row.total, data.unit)}</span>
                <Share of={data.total === 0 ? 0 : row.total / data.total} />
              </div>
            ))}
            {data.other.count > 0 && (
              <div class="faint">
                and {data.other.count} more: {formatValue(data.other.total, data.unit)}
              </div>
            )}
          </>
        )}
      </Shown>
    </section>
  );
}
