// SPDX-License-Identifier: Apache-2.0
//
// The two sides of a comparison: their selection, controls to change it, and their cost.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Deployments, Diff } from "../../api/types";
import { changeText, diffTotal } from "../../profile/cost/diff_total";
import { formatCount, formatNanos, formatValue } from "../../profile/cost/units";
import { exactValue, withMatch } from "../../profile/query/selector";
import { scopeParameters, type UrlState } from "../../profile/query/url_state";
import { describeRange, parseTime } from "../../profile/time/time_range";
import { hrefOf, nowMs, update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { timeZone } from "../../state/time_zone";
import { nameOf, useUpload } from "../../state/upload";

type SideName = "before" | "after";

export function sideState(state: UrlState): UrlState {
  const { baseline } = state;
  return {
    ...state,
    ...baseline,
    f: state.baselineF.length > 0 ? state.baselineF : state.f,
    baseline: {},
    baselineF: [],
  };
}

function describeSide(state: UrlState): string {
  const who = [exactValue(state.q, "service.name"), exactValue(state.q, "service.version")]
    .filter((text) => text !== "")
    .join(" ");
  const what =
    state.spanname !== "" ? `spans named ${state.spanname}` : state.span !== "" ? `span ${state.span.slice(0, 8)}` : "";
  return (
    [who === "" ? state.q : who, what].filter((text) => text !== "").join(", ") ||
    (state.scratch === "" ? "all services" : "")
  );
}

const FileName = ({ scratch }: { readonly scratch: string }): JSX.Element => (
  <span class="mono">{nameOf(useUpload(scratch))}</span>
);

export function Sides({ diff }: { readonly diff: Diff | null }): JSX.Element {
  const state = urlState.value;
  const [editing, setEditing] = useState<SideName | null>(null);
  const side = (of: UrlState, name: SideName): JSX.Element => {
    const data = diff?.[name];
    return (
      <div class={`side ${name}`}>
        <b>{name === "before" ? "Before" : "After"}</b>
        <span class="clip grow" title={of.q}>
          {of.scratch !== "" && <FileName scratch={of.scratch} />} {describeSide(of)}{" "}
          <span class="muted">
            {of.scratch === "" && of.span === "" ? describeRange(of.from, of.to, nowMs.value, timeZone.value) : ""}
          </span>
        </span>
        {of.scratch === "" && (
          <button
            type="button"
            class="button ghost"
            aria-expanded={editing === name}
            onClick={() => setEditing(editing === name ? null : name)}
          >
            Edit
          </button>
        )}
        <a href={hrefOf("/explore", { ...of, view: "icicle", color: "type", z: "", zn: "" })}>Open</a>
        {data !== undefined && (
          <span class="muted number side-cost">
            {formatValue(data.total, diff?.unit ?? "")}, {formatCount(data.events)} samples,{" "}
            {formatNanos(data.seconds * 1e9)} observed
          </span>
        )}
      </div>
    );
  };
  const before = sideState(state);
  const after: UrlState = { ...state, baseline: {}, baselineF: [] };
  return (
    <>
      <div class="sides">
        {side(before, "before")}
        {side(after, "after")}
      </div>
      {editing !== null && (
        <SideEditor
          key={editing}
          name={editing}
          of={editing === "before" ? before : after}
          onDone={() => setEditing(null)}
        />
      )}
    </>
  );
}

// Sets all values of the baseline explicitly, so that changing one side does not affect the other.
function setSide(name: SideName, chosen: Pick<UrlState, "q" | "from" | "to">): void {
  const state = urlState.peek();
  const { q, from, to } = sideState(state);
  const baseline = { ...state.baseline, q, from, to };
  if (name === "before") update({ baseline: { ...baseline, ...chosen } });
  else update({ ...chosen, baseline });
}

function SideEditor({
  name,
  of,
  onDone,
}: {
  readonly name: SideName;
  readonly of: UrlState;
  readonly onDone: () => void;
}): JSX.Element {
  const [q, setQ] = useState(of.q);
  const [from, setFrom] = useState(of.from);
  const [to, setTo] = useState(of.to);
  const service = exactValue(q, "service.name");
  const deployments = useApi<Deployments>(
    service === "" ? null : "deployments",
    scopeParameters({ ...of, q: withMatch("", "service.name", service) }),
  );
  const versions =
    deployments.data?.versions.map((version) => version.version).filter((version) => version !== "") ?? [];
  const isValid = parseTime(from, Date.now()) !== null && parseTime(to, Date.now()) !== null;
  return (
    <form
      class="toolbar"
      aria-label={name === "before" ? "Edit the before side" : "Edit the after side"}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isValid) return;
        setSide(name, { q, from, to });
        onDone();
      }}
    >
      <b>{name === "before" ? "Before" : "After"}</b>
      <input
        class="grow"
        type="text"
        aria-label="Selector"
        placeholder={'{service.name="cart"}'}
        value={q}
        onInput={(event) => setQ(event.currentTarget.value)}
      />
      {versions.length > 0 && (
        <select
          aria-label="Version"
          value={exactValue(q, "service.version")}
          onChange={(event) => setQ(withMatch(q, "service.version", event.currentTarget.value))}
        >
          <option value="">any version</option>
          {versions.map((version) => (
            <option key={version} value={version}>
              {version}
            </option>
          ))}
        </select>
      )}
      <input type="text" aria-label="From" value={from} onInput={(event) => setFrom(event.currentTarget.value)} />
      <input type="text" aria-label="To" value={to} onInput={(event) => setTo(event.currentTarget.value)} />
      <button type="submit" class="button primary" disabled={!isValid}>
        Apply
      </button>
      <button class="button" type="button" onClick={onDone}>
        Cancel
      </button>
    </form>
  );
}

export function Headline({ diff }: { readonly diff: Diff }): JSX.Element {
  const total = diffTotal(diff);
  const tone = !diff.total_significant || total.change === null ? "muted" : total.change > 0 ? "more" : "less";
  return (
    <p class="headline" role="status" aria-label="Total change">
      <b class={tone}>{changeText(total.change)}</b>
      <span>
        {total.before} → {total.after}
      </span>
      <span class="muted">
        {total.per}, {total.chance}
      </span>
    </p>
  );
}
