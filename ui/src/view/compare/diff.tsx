// SPDX-License-Identifier: Apache-2.0
//
// What changed between A and B? One graph of both sides, in which removed functions stay visible, with a list of the
// paths that explain the change, and a significance test.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Deployments, Diff, DiffRow } from "../../api/types";
import { digits, formatCount, formatShare, formatSigned, formatValue } from "../../profile/cost/units";
import {
  type FlameLayout,
  findByHash,
  findWidestByName,
  layOut,
  nodeHash,
  nodeName,
  type WidthBasis,
} from "../../profile/flame/flame_layout";
import { hashPath, pathHashText } from "../../profile/flame/path_hash";
import { parseQuery, searchFlame } from "../../profile/flame/search";
import { typeLabel } from "../../profile/query/profile_type";
import { exactValue, withMatch } from "../../profile/query/selector";
import { baselineParameters, scopeParameters, type UrlState } from "../../profile/query/url_state";
import { useKeys } from "../../state/keys";
import { go, range, update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { useFlame } from "../graphs/flame_data";
import { DiffNumbers, FlameView } from "../graphs/flame_view";
import { FilterChips } from "../parts/filters";
import { EmptyState, ErrorState, FunctionName, PartialNote, Tabs } from "../parts/parts";
import { Headline, Sides, sideState } from "./diff_sides";

const NORMS = [
  ["share", "% of total"],
  ["rate", "Per second"],
  ["none", "Raw"],
] as const;

function normText({ norm, type, scale }: Diff): string {
  const meaning: Readonly<Record<string, string>> = {
    share: "Normalised to % of each side's total",
    rate: `Normalised to ${typeLabel(type)} per instance-second`,
    request: `Normalised to ${typeLabel(type)} per request`,
    none: "Raw values, for runs of equal length and load",
  };
  return `${meaning[norm] ?? norm}${Math.abs(scale - 1) > 0.001 ? ` (after × ${digits(scale)})` : ""}`;
}

export function DiffPage(): JSX.Element {
  const state = urlState.value;
  const hasBaseline = Object.keys(state.baseline).length > 0 || state.baselineF.length > 0;
  const parameters: [string, string][] | null = hasBaseline
    ? [...scopeParameters(state), ...baselineParameters(state), ["norm", state.norm]]
    : null;
  const flame = useFlame(parameters === null ? null : [...parameters, ["nodes", "20000"]], "diff");
  const diff = useApi<Diff>(
    parameters === null ? null : "diff",
    parameters === null ? [] : [...parameters, ["nodes", "1"], ["limit", "300"]],
  );
  const scale = diff.data?.scale ?? 1;
  const layout = useMemo(
    () =>
      flame.data === null
        ? null
        : layOut(
            flame.data.layout.tree,
            ({ a: "before", b: "after", union: "union" } as Record<string, WidthBasis>)[state.w] ?? "union",
            scale,
          ),
    [flame.data, state.w, scale],
  );
  useKeys({ x: () => swap(state) });
  if (!hasBaseline) return <ChooseBaseline />;
  const error = diff.error ?? flame.error;
  const empty = diff.data?.empty;
  const response = diff.data?.before === undefined ? null : diff.data; // an empty response has no sides
  return (
    <>
      <h1 class="visually-hidden">Comparison</h1>
      <Sides diff={diff.data} />
      {response !== null && <Headline diff={response} />}
      <div class="workbench">
        <section class="panel" aria-label="Comparison">
          <div class="toolbar">
            <Tabs label="Normalisation" options={NORMS} value={state.norm} onChoose={(norm) => update({ norm })} />
            <Tabs
              label="View"
              options={
                [
                  ["icicle", "Icicle"],
                  ["flame", "Flame"],
                  ["table", "Table"],
                ] as const
              }
              value={state.view}
              onChoose={(view) => update({ view })}
            />
            <input
              type="search"
              placeholder="Search"
              aria-label="Search"
              value={state.s}
              onInput={(event) => update({ s: event.currentTarget.value }, true)}
            />
            {state.z !== "" && (
              <button type="button" class="button" onClick={() => update({ z: "", zn: "" })}>
                Zoom out
              </button>
            )}
            <div class="grow" />
            <select
              aria-label="Frame width"
              value={state.w}
              onChange={(event) => update({ w: event.currentTarget.value })}
            >
              <option value="union">Width: both</option>
              <option value="a">Width: before</option>
              <option value="b">Width: after</option>
            </select>
            <button type="button" class="button" title="Swap before and after (x)" onClick={() => swap(state)}>
              Swap
            </button>
          </div>
          <FilterChips />
          {(flame.isLoading || diff.isLoading) && <div class="progress-line" />}
          <PartialNote meta={diff.data?.meta} />
          {diff.data?.unbalanced === true && (
            <div class="note">
              One side has more than four times as many samples as the other: small differences are unreliable.
            </div>
          )}
          {error !== null ? (
            <>
              <ErrorState error={error} />
              {error.status === 404 && <ChooseBaseline />}
            </>
          ) : empty !== undefined ? (
            <EmptyState empty={empty} />
          ) : layout === null || diff.data === null ? (
            <div class="state faint">Loading …</div>
          ) : state.view === "table" ? (
            <DiffTable diff={diff.data} />
          ) : (
            <DiffFlame layout={layout} scale={scale} />
          )}
          <div class="status-line">
            <span>{response !== null && normText(response)}</span>
            <span class="grow" />
            {response !== null && <SignificanceNote test={response.noise_test} />}
            <span class="row">
              <i class="dot" style={{ background: "var(--accent)" }} /> less{" "}
              <i class="dot" style={{ background: "var(--cpu)" }} /> more{" "}
              <i class="dot" style={{ background: "var(--line)" }} /> within noise
            </span>
          </div>
        </section>
        <aside class="panel inspector" aria-label="What explains the change">
          {layout !== null && <SelectedDiff layout={layout} scale={scale} />}
          <section>
            <h2>What explains 80 % of the change</h2>
            {diff.data?.explain.map((entry) => (
              <div key={entry.path.join(";")} class="explain">
                <div class="row">
                  <b class={entry.delta > 0 ? "more" : "less"}>
                    {formatSigned(formatValue(entry.delta, diff.data?.unit ?? ""), entry.delta)}
                  </b>
                  <span class="muted">{formatShare(entry.part)} of the change</span>
                  {entry.before === 0 && <span class="chip new">new</span>}
                  {entry.after === 0 && <span class="chip">gone</span>}
                </div>
                <button
                  type="button"
                  class="name-button mono"
                  title={`Zoom to:\n${entry.path.join("\n")}`}
                  onClick={() =>
                    update({
                      z: pathHashText(hashPath(entry.path)),
                      zn: entry.path.at(-1) ?? "",
                      sel: entry.path.at(-1) ?? "",
                    })
                  }
                >
                  {entry.path.at(-1)}
                </button>
                <div class="faint clip" title={entry.path.join("\n")}>
                  called by {entry.path.slice(-4, -1).reverse().join(" ‹ ")}
                </div>
              </div>
            ))}
            {diff.data?.explain.length === 0 && <span class="muted">No significant change.</span>}
          </section>
        </aside>
      </div>
    </>
  );
}

function SignificanceNote({ test }: { readonly test: string }): JSX.Element {
  if (test !== "optimistic") return <span>Significance: bootstrap over instances</span>;
  return (
    <span title="Too few instances to measure how much they vary: the test treats samples as independent">
      Significance is approximate: fewer than 5 instances
    </span>
  );
}

function DiffFlame({ layout, scale }: { readonly layout: FlameLayout; readonly scale: number }): JSX.Element {
  const state = urlState.value;
  const [selected, setSelected] = useState(0);
  useEffect(() => setSelected(state.sel === "" ? 0 : Math.max(0, findWidestByName(layout, state.sel))), [layout]);
  const zoomed = state.z === "" ? 0 : Math.max(0, findByHash(layout, state.z));
  const { query } = parseQuery(state.s);
  const matches = useMemo(() => (query === null ? null : searchFlame(layout, query)), [layout, state.s]);
  return (
    <FlameView
      layout={layout}
      scale={scale}
      colorMode="diff"
      matching={matches?.frames ?? null}
      isRootBelow={state.view === "flame"}
      zoomed={zoomed}
      selected={selected}
      label="Differential flame graph"
      onSelect={(node) => {
        setSelected(node);
        update({ sel: nodeName(layout, node) }, true);
      }}
      onZoom={(node) => update({ z: node === 0 ? "" : nodeHash(layout, node), zn: nodeName(layout, node) })}
      menu={(node) => [
        {
          label: "Zoom in",
          key: "Enter",
          run: () => update({ z: nodeHash(layout, node), zn: nodeName(layout, node) }),
        },
      ]}
    />
  );
}

function SelectedDiff({ layout, scale }: { readonly layout: FlameLayout; readonly scale: number }): JSX.Element | null {
  const { sel } = urlState.value;
  const node = sel === "" ? -1 : findWidestByName(layout, sel);
  if (node < 0) return null;
  return (
    <section>
      <div class="name">{sel}</div>
      <DiffNumbers layout={layout} node={node} scale={scale} />
    </section>
  );
}

function DiffTable({ diff }: { readonly diff: Diff }): JSX.Element {
  const row = (entry: DiffRow): JSX.Element => (
    <tr key={entry.function} class={entry.significant === true ? "" : "muted"}>
      <td>
        <FunctionName name={entry.function} />
      </td>
      <td class="number">{formatValue(entry.before, diff.unit)}</td>
      <td class="number" title={`Measured: ${formatValue(entry.after, diff.unit)}`}>
        {formatValue(entry.after * diff.scale, diff.unit)}
      </td>
      <td class={`number ${entry.significant !== true ? "" : entry.delta > 0 ? "more" : "less"}`}>
        {formatSigned(formatValue(entry.delta, diff.unit), entry.delta)}
      </td>
      <td class="number">
        {entry.before === 0 ? (
          <span class="chip new">new</span>
        ) : entry.ratio === null ? (
          "–"
        ) : (
          `×${entry.ratio.toFixed(2)}`
        )}
      </td>
      <td class="number">{formatSigned(formatValue(entry.self_delta, diff.unit), entry.self_delta)}</td>
      <td class="number">
        {entry.significant === true ? (entry.probability < 0.001 ? "< 0.001" : entry.probability.toFixed(3)) : "noise"}
      </td>
    </tr>
  );
  return (
    <div class="scroll">
      <table class="list">
        <colgroup>
          <col />
          {[92, 92, 100, 70, 100, 80].map((width, i) => (
            <col key={i} style={{ width: `${width}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th>Function</th>
            <th class="number">Before</th>
            <th class="number">After</th>
            <th class="number">Change</th>
            <th class="number">Ratio</th>
            <th class="number">Self change</th>
            <th class="number">p-value</th>
          </tr>
        </thead>
        <tbody>{diff.rows.map(row)}</tbody>
      </table>
      {diff.row_count > diff.rows.length && (
        <p class="faint pad">
          Showing the {diff.rows.length} largest of {formatCount(diff.row_count)} differences.
        </p>
      )}
    </div>
  );
}

function swap(state: UrlState): void {
  const before = sideState(state);
  const baseline: Record<string, string> = {};
  for (const key of Object.keys(state.baseline) as (keyof UrlState["baseline"])[]) baseline[key] = state[key];
  update({ ...before, baseline, baselineF: state.baselineF.length > 0 ? state.f : [] });
}

// Offers common baselines if none is set.
function ChooseBaseline(): JSX.Element {
  const state = urlState.value;
  const deployments = useApi<Deployments>("deployments", scopeParameters(state));
  const { from, to } = range.value;
  const span = to - from;
  const at = (shift: number): UrlState["baseline"] => ({
    from: String(Math.round(from - shift)),
    to: String(Math.round(to - shift)),
  });
  const versions = deployments.data?.versions.filter((version) => version.version !== "") ?? [];
  const service = exactValue(state.q, "service.name");
  const choices: (readonly [string, string, Partial<UrlState>])[] = [
    ["Previous period", "the range of the same length just before this one", { baseline: at(span) }],
    ["Same time yesterday", "24 hours earlier", { baseline: at(86_400_000) }],
    ["Same time last week", "7 days earlier", { baseline: at(604_800_000) }],
    [
      "First half vs second half",
      "of this range",
      {
        from: String(Math.round(from + span / 2)),
        to: String(Math.round(to)),
        baseline: { from: String(Math.round(from)), to: String(Math.round(from + span / 2)) },
      },
    ],
  ];
  if (service !== "") {
    for (let i = versions.length - 1; i > 0 && i > versions.length - 4; --i) {
      const [after, before] = [versions[i]?.version ?? "", versions[i - 1]?.version ?? ""];
      choices.unshift([
        `Version ${before} vs ${after}`,
        `of ${service}`,
        {
          q: withMatch(state.q, "service.version", after),
          baseline: { q: withMatch(state.q, "service.version", before) },
        },
      ]);
    }
  }
  return (
    <div class="scroll">
      <div class="page-head">
        <h1>Compare</h1>
        <span class="muted">Compare the current selection with:</span>
      </div>
      <div class="grid">
        {choices.map(([name, what, patch]) => (
          <button
            type="button"
            key={name}
            class="panel choice w4"
            onClick={() => go("/diff", { ...state, view: "icicle", ...patch })}
          >
            <b>{name}</b>
            <span class="muted">{what}</span>
          </button>
        ))}
      </div>
      {service === "" && <p class="muted pad">Select a service to compare its versions.</p>}
    </div>
  );
}
