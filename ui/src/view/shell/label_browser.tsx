// SPDX-License-Identifier: Apache-2.0
//
// All labels of the current scope, with the values of one of them and their cost. Clicking a value selects it, clicking
// again deselects it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AttributeKeys, Breakdown } from "../../api/types";
import { formatShare, formatValue } from "../../profile/cost/units";
import { exactValue, withMatch } from "../../profile/query/selector";
import { rank } from "../../profile/query/selector_complete";
import { scopeParameters } from "../../profile/query/url_state";
import { update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { Shown } from "../parts/parts";

const VALUES_MAX = 200;

// The API parameters: time and type of the page, with these other matchers.
export function labelScope(q: string): [string, string][] {
  const { type, from, to, scratch } = urlState.value;
  return scopeParameters({ ...urlState.value, q, type, from, to, scratch, f: [], trace: "", span: "", spanname: "" });
}

export function LabelBrowser({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { q } = urlState.value;
  const [chosen, setChosen] = useState("");
  const [text, setText] = useState("");
  const keys = useApi<AttributeKeys>("attrs", labelScope(q));
  const names = rank(
    (keys.data?.keys ?? []).map(({ key }) => key),
    text,
    Infinity,
  );
  const key = names.includes(chosen) ? chosen : (names[0] ?? "");
  return (
    <>
      <div class="row">
        <input
          type="text"
          class="grow"
          placeholder="Find a label"
          aria-label="Find a label"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Shown of={keys} isEmpty={(data) => data.keys.length === 0}>
        {(data) => (
          <div class="columns">
            <div role="group" aria-label="Keys">
              {names.map((name) => (
                <button
                  type="button"
                  key={name}
                  class={`menu-item ${name === key ? "chosen" : ""}`}
                  aria-pressed={name === key}
                  onClick={() => setChosen(name)}
                >
                  <span class="mono clip">{name}</span>{" "}
                  <span class="number muted">{data.keys.find((info) => info.key === name)?.value_count}</span>
                </button>
              ))}
              {names.length === 0 && <div class="state">No matches.</div>}
            </div>
            {key !== "" && <Values name={key} />}
          </div>
        )}
      </Shown>
    </>
  );
}

// Without the matcher of the label itself, so that its other values are available.
function Values({ name }: { readonly name: string }): JSX.Element {
  const { q } = urlState.value;
  const values = useApi<Breakdown>("attr-breakdown", [
    ...labelScope(withMatch(q, name, "")),
    ["key", name],
    ["topk", String(VALUES_MAX)],
  ]);
  const current = exactValue(q, name);
  return (
    <div role="group" aria-label={`Values of ${name}`}>
      <Shown of={values}>
        {(data) => (
          <>
            {data.rows
              .filter((row) => !row.missing)
              .map((row) => (
                <button
                  type="button"
                  key={row.value}
                  class={`menu-item ${row.value === current ? "current" : ""}`}
                  aria-pressed={row.value === current}
                  title={`${row.value}: ${formatValue(row.total, data.unit)}`}
                  onClick={() =>
                    update({ q: withMatch(q, name, row.value === current ? "" : row.value), z: "", zn: "" })
                  }
                >
                  <span class="mono clip">{row.value === "" ? '""' : row.value}</span>{" "}
                  <span class="number muted">{formatShare(data.total === 0 ? 0 : row.total / data.total)}</span>
                </button>
              ))}
            {data.other.count > 0 && <div class="faint pad">and {data.other.count} more</div>}
          </>
        )}
      </Shown>
    </div>
  );
}
