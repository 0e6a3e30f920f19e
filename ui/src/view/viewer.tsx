// SPDX-License-Identifier: Apache-2.0
//
// A profile in one file, without a server: the flame graph of the pages, with a table and function details.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { formatCount, formatFrames, formatShare, formatValue } from "../profile/cost/units";
import { FRAME_INLINED, FRAME_NAMELESS } from "../profile/flame/flame_decoder";
import {
  ancestorsOf,
  type FlameLayout,
  findByHash,
  findWidestByName,
  nodeHash,
  nodeName,
  pathNames,
} from "../profile/flame/flame_layout";
import { costOfFunctions, type Neighbour, neighboursOf } from "../profile/flame/functions";
import { type ColorMode, nodeColors } from "../profile/flame/node_colors";
import { parseQuery, searchFlame } from "../profile/flame/search";
import type { EmbeddedFlame } from "../state/embedded";
import { fileState, updateFile } from "../state/fragment";
import { useKeys } from "../state/keys";
import { toggleTheme } from "../state/theme";
import { FlameView } from "./graphs/flame_view";
import { Brand, Icon } from "./parts/icons";
import type { MenuEntry } from "./parts/menu";
import { copyText, Share, Tabs, toast } from "./parts/parts";

const VIEWS = [
  ["icicle", "Icicle"],
  ["flame", "Flame"],
  ["table", "Table"],
] as const;
const COLORS: readonly (readonly [string, string])[] = [
  ["type", "by type"],
  ["module", "by module"],
  ["package", "by package"],
  ["self", "by self"],
  ["none", "plain"],
];
const ROWS_MAX = 500;
const NEIGHBOURS_MAX = 8;

export function Viewer({
  title,
  flames,
}: {
  readonly title: string;
  readonly flames: readonly EmbeddedFlame[];
}): JSX.Element {
  const state = fileState.value;
  const chosen = flames.find((flame) => flame.type === state.type) ?? flames[0];
  const [shown, setShown] = useState<{ of: EmbeddedFlame; layout: FlameLayout } | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    if (chosen === undefined) return;
    let isCurrent = true;
    chosen.load().then(
      (layout) => isCurrent && setShown({ of: chosen, layout }),
      (caught: unknown) => isCurrent && setError(caught instanceof Error ? caught.message : String(caught)),
    );
    return () => {
      isCurrent = false;
    };
  }, [chosen]);
  useKeys({ T: toggleTheme, "/": () => document.querySelector<HTMLInputElement>("input[type=search]")?.focus() });
  const layout = shown !== null && shown.of === chosen ? shown.layout : null;
  return (
    <div class="viewer">
      <header>
        <span class="brand">
          <Brand />
        </span>
        <h1 class="clip">{title}</h1>
        {flames.length > 1 && (
          <select
            aria-label="Sample type"
            value={chosen?.type ?? ""}
            onChange={(event) => updateFile({ type: event.currentTarget.value, z: "", zn: "", sel: "" })}
          >
            {flames.map(({ type }) => (
              <option key={type} value={type}>
                {type}
              </option>
            ))}
          </select>
        )}
        {layout !== null && (
          <span class="muted">
            {flames.length > 1 ? "" : `${layout.tree.type}: `}
            {formatValue(layout.total[0]?.[0] ?? 0, layout.tree.unit)}
          </span>
        )}
        <div class="grow" />
        <span class="faint">made by Flarestack</span>
        <button
          type="button"
          class="button ghost"
          title="Switch theme (T)"
          aria-label="Switch theme"
          onClick={toggleTheme}
        >
          <Icon name="theme" />
        </button>
      </header>
      {chosen === undefined ? (
        <State title="This file contains no profile" text="The program that wrote it did not embed one." />
      ) : error !== "" ? (
        <State title="The profile in this file cannot be read" text={error} />
      ) : layout === null ? (
        <div class="state faint">Loading …</div>
      ) : (
        <Workbench key={chosen.type} layout={layout} />
      )}
      {toast.value !== "" && (
        <div class="toast" role="status">
          {toast.value}
        </div>
      )}
    </div>
  );
}

const State = ({ title, text }: { readonly title: string; readonly text: string }): JSX.Element => (
  <div class="state" role="alert">
    <strong>{title}</strong>
    {text}
  </div>
);

function Workbench({ layout }: { readonly layout: FlameLayout }): JSX.Element {
  const state = fileState.value;
  const [selected, setSelected] = useState(() =>
    state.sel === "" ? 0 : Math.max(0, findWidestByName(layout, state.sel)),
  );
  const [hovered, setHovered] = useState(-1);
  const zoomed = useMemo(() => {
    const exact = state.z === "" ? 0 : findByHash(layout, state.z);
    return Math.max(0, exact >= 0 ? exact : findWidestByName(layout, state.zn));
  }, [layout, state.z, state.zn]);
  const search = useMemo(() => {
    const { query, error } = parseQuery(state.s);
    return { matches: query === null ? null : searchFlame(layout, query), error };
  }, [layout, state.s]);
  const select = (node: number): void => {
    setSelected(node);
    updateFile({ sel: node === 0 ? "" : nodeName(layout, node) }, true);
  };
  const zoomTo = (node: number): void => {
    const target = layout.tree.folded.has(node) ? (layout.parent[node] ?? 0) : node;
    updateFile({ z: target === 0 ? "" : nodeHash(layout, target), zn: target === 0 ? "" : nodeName(layout, target) });
  };
  const step = (way: 1 | -1): void => {
    const found = search.matches?.nodes ?? [];
    if (found.length === 0) return;
    const at = way === 1 ? found.find((node) => node > selected) : [...found].reverse().find((node) => node < selected);
    select(at ?? (way === 1 ? found[0] : found.at(-1)) ?? 0);
  };
  const menu = (node: number): MenuEntry[] => menuOf(layout, node, zoomTo);
  useKeys({
    ...Object.fromEntries(VIEWS.map(([view], i) => [String(i + 1), () => updateFile({ view })])),
    "0": () => zoomTo(0),
    n: () => step(1),
    N: () => step(-1),
    Y: () => void copyText(pathNames(layout, selected).join(";"), "Call path"),
    Escape: () => updateFile({ s: "" }, true),
  });
  const isTable = state.view === "table";
  const color = useMemo(() => colorFor(layout, state.color), [layout, state.color]);
  const status = hovered >= 0 ? hovered : selected;
  return (
    <div class="workbench">
      <section class="panel" aria-label="Profile">
        <div class="toolbar">
          <Tabs label="View" options={VIEWS} value={state.view} onChoose={(view) => updateFile({ view })} />
          <input
            type="search"
            placeholder="Search: text, /regex/, file:, mod:"
            aria-label="Search"
            value={state.s}
            spellcheck={false}
            onInput={(event) => updateFile({ s: event.currentTarget.value }, true)}
            onKeyDown={(event) => event.key === "Enter" && step(event.shiftKey ? -1 : 1)}
          />
          {search.error !== "" && <span class="chip error">{search.error}</span>}
          {search.matches !== null && (
            <span class="muted">
              {formatFrames(search.matches.nodes.length)}, {layout.tree.folded.size > 0 && "at least "}
              {formatShare(search.matches.total / Math.max(1, layout.width[0] ?? 1))}
            </span>
          )}
          <div class="grow" />
          {!isTable && (
            <select
              aria-label="Colour"
              value={color}
              onChange={(event) => updateFile({ color: event.currentTarget.value })}
            >
              {COLORS.map(([value, name]) => (
                <option key={value} value={value}>
                  Colour {name}
                </option>
              ))}
            </select>
          )}
        </div>
        {!isTable && <Crumbs layout={layout} zoomed={zoomed} onZoom={zoomTo} />}
        {isTable ? (
          <FunctionTable layout={layout} search={state.s} selected={selected} onSelect={select} />
        ) : (
          <FlameView
            layout={layout}
            colorMode={color as ColorMode}
            matching={search.matches?.frames ?? null}
            isRootBelow={state.view === "flame"}
            zoomed={zoomed}
            selected={selected}
            label={`${layout.tree.type} flame graph`}
            foldedNote="Small frames were merged to keep the file small"
            onSelect={select}
            onZoom={zoomTo}
            onHover={setHovered}
            menu={menu}
          />
        )}
        <StatusLine layout={layout} node={status} zoomed={zoomed} />
      </section>
      <Inspector layout={layout} node={selected} menu={menu(selected)} onSelect={select} />
    </div>
  );
}

// Without frame types, colours by the first property that distinguishes frames; otherwise all would be grey.
function colorFor(layout: FlameLayout, wanted: string): string {
  const { type } = layout.tree.frames;
  if (wanted !== "type" || type.some((kind) => kind !== "")) return wanted;
  const tellsApart = (mode: ColorMode): boolean => new Set(nodeColors(layout, mode).subarray(1)).size > 1;
  return (["package", "module"] as const).find(tellsApart) ?? "self";
}

function menuOf(layout: FlameLayout, node: number, zoomTo: (node: number) => void): MenuEntry[] {
  const name = nodeName(layout, node);
  if (name === "" || layout.tree.folded.has(node)) return [{ label: "Zoom out", key: "0", run: () => zoomTo(0) }];
  return [
    { label: "Zoom in", key: "Enter", run: () => zoomTo(node) },
    { label: "Zoom out", key: "0", run: () => zoomTo(0) },
    { label: "Highlight all occurrences", run: () => updateFile({ s: name }, true) },
    { label: "Copy name", run: () => void copyText(name, "Name") },
    { label: "Copy call path", key: "Y", run: () => void copyText(pathNames(layout, node).join(";"), "Call path") },
  ];
}

function Crumbs(props: {
  readonly layout: FlameLayout;
  readonly zoomed: number;
  readonly onZoom: (node: number) => void;
}): JSX.Element | null {
  const path = ancestorsOf(props.layout, props.zoomed);
  if (path.length < 2) return null;
  return (
    <nav class="crumbs" aria-label="Zoomed to">
      {path.map((node, i) => [
        i > 0 ? (
          <span key={`${node}>`} class="faint">
            ›
          </span>
        ) : null,
        <button type="button" key={node} title={nodeName(props.layout, node)} onClick={() => props.onZoom(node)}>
          {nodeName(props.layout, node) || "all"}
        </button>,
      ])}
    </nav>
  );
}

function StatusLine({
  layout,
  node,
  zoomed,
}: {
  readonly layout: FlameLayout;
  readonly node: number;
  readonly zoomed: number;
}): JSX.Element {
  const total = layout.total[0]?.[node] ?? 0;
  const share = (of: number): string => formatShare(total / Math.max(1, layout.total[0]?.[of] ?? 1));
  return (
    <div class="status-line" role="status">
      <b>{nodeName(layout, node) || "all"}</b>
      <span>{formatValue(total, layout.tree.unit)}</span>
      <span>{share(0)} of the total</span>
      {zoomed !== 0 && <span>{share(zoomed)} of the zoomed frame</span>}
      <span class="grow" />
      <span>{formatFrames(layout.tree.count)}</span>
    </div>
  );
}

function FunctionTable(props: {
  readonly layout: FlameLayout;
  readonly search: string;
  readonly selected: number;
  readonly onSelect: (node: number) => void;
}): JSX.Element {
  const { layout } = props;
  const { frames, unit } = layout.tree;
  const [sort, setSort] = useState<"self" | "total">("self");
  const costs = useMemo(() => costOfFunctions(layout), [layout]);
  const rows = useMemo(() => {
    const { query } = parseQuery(props.search);
    const found = costs.filter(({ frame }) => query === null || query.test(frames[query.field][frame] ?? ""));
    return found.sort((a, b) => b[sort] - a[sort]);
  }, [costs, sort, props.search]);
  const all = Math.max(1, layout.total[0]?.[0] ?? 1);
  const selectedFrame = layout.tree.frame[props.selected] ?? 0;
  const head = (key: "self" | "total", name: string): JSX.Element => (
    <th class="number" scope="col" aria-sort={sort === key ? "descending" : "none"}>
      <button type="button" onClick={() => setSort(key)}>
        {name}
        {sort === key ? " ▾" : ""}
      </button>
    </th>
  );
  return (
    <div class="function-table">
      <table class="list">
        <colgroup>
          <col />
          <col class="value" />
          <col class="percent" />
          <col class="value" />
          <col class="bar" />
          <col class="where" />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">Function</th>
            {head("self", "Self")}
            <th class="number" scope="col">
              %
            </th>
            {head("total", "Total")}
            <th scope="col">Share of total</th>
            <th scope="col">Location</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS_MAX).map(({ frame, self, total }) => {
            const name = frames.name[frame] ?? "";
            return (
              <tr
                key={frame}
                aria-selected={frame === selectedFrame}
                onClick={() => props.onSelect(Math.max(0, findWidestByName(layout, name)))}
              >
                <td class="mono" title={name}>
                  {name}
                </td>
                <td class="number">{formatValue(self, unit)}</td>
                <td class="number muted">{formatShare(self / all)}</td>
                <td class="number">{formatValue(total, unit)}</td>
                <td>
                  <Share of={total / all} />
                </td>
                <td class="muted mono">{placeOf(layout, frame) || frames.module[frame]}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length === 0 && <div class="state">No function matches the search.</div>}
      {rows.length > ROWS_MAX && (
        <div class="status-line">
          Showing the {ROWS_MAX} largest of {formatCount(rows.length)} functions; search to find others.
        </div>
      )}
    </div>
  );
}

function placeOf(layout: FlameLayout, frame: number): string {
  const file = layout.tree.frames.file[frame] ?? "";
  const line = layout.tree.frames.line[frame] ?? 0;
  return file !== "" && line > 0 ? `${file}:${line}` : file;
}

function Inspector(props: {
  readonly layout: FlameLayout;
  readonly node: number;
  readonly menu: readonly MenuEntry[];
  readonly onSelect: (node: number) => void;
}): JSX.Element {
  const { layout, node } = props;
  const { tree } = layout;
  const frame = tree.frame[node] ?? 0;
  const name = nodeName(layout, node);
  const isFunction = name !== "" && !tree.folded.has(node);
  const all = Math.max(1, layout.total[0]?.[0] ?? 1);
  const costs = useMemo(() => new Map(costOfFunctions(layout).map((cost) => [cost.frame, cost])), [layout]);
  const neighbours = useMemo(
    () => (isFunction ? neighboursOf(layout, frame) : { callers: [], callees: [] }),
    [layout, frame, isFunction],
  );
  const flags = tree.frames.flags[frame] ?? 0;
  const fact = (what: string, value: number): JSX.Element[] => [
    <dt key={what}>{what}</dt>,
    <dd key={`${what}=`} class="number">
      {formatValue(value, tree.unit)} · {formatShare(value / all)}
    </dd>,
  ];
  return (
    <aside class="panel inspector" aria-label="Selected">
      <section>
        <div class="name">{isFunction ? name : name === "" ? "Whole profile" : "Folded frames"}</div>
        <div class="muted">{placeOf(layout, frame)}</div>
        <div class="row wrap">
          {tree.frames.type[frame] !== "" && <span class="chip">{tree.frames.type[frame]}</span>}
          {tree.frames.module[frame] !== "" && (
            <span class="chip" title="module">
              {tree.frames.module[frame]}
            </span>
          )}
          {(flags & FRAME_INLINED) !== 0 && <span class="chip">inlined</span>}
          {(flags & FRAME_NAMELESS) !== 0 && <span class="chip new">no symbols</span>}
        </div>
      </section>
      <section>
        <dl class="facts">
          {fact("Total (this path)", layout.total[0]?.[node] ?? 0)}
          {fact("Self", tree.self[0]?.[node] ?? 0)}
          {isFunction && fact("Total (all paths)", costs.get(frame)?.total ?? 0)}
        </dl>
      </section>
      {isFunction && <NeighbourList title="Callers" of={neighbours.callers} {...props} />}
      {isFunction && <NeighbourList title="Callees" of={neighbours.callees} {...props} />}
      <section>
        <h2>Actions</h2>
        {props.menu.map((entry) => (
          <button type="button" key={entry.label} class="menu-item" onClick={entry.run}>
            {entry.label} {entry.key !== undefined && <kbd>{entry.key}</kbd>}
          </button>
        ))}
      </section>
    </aside>
  );
}

function NeighbourList(props: {
  readonly title: string;
  readonly of: readonly Neighbour[];
  readonly layout: FlameLayout;
  readonly onSelect: (node: number) => void;
}): JSX.Element | null {
  if (props.of.length === 0) return null;
  const { layout } = props;
  const all = Math.max(1, layout.total[0]?.[0] ?? 1);
  return (
    <section>
      <h2>{props.title}</h2>
      {props.of.slice(0, NEIGHBOURS_MAX).map(({ frame, value }) => {
        const name = layout.tree.frames.name[frame] ?? "";
        return (
          <button
            type="button"
            key={frame}
            class="menu-item"
            title={name}
            onClick={() => props.onSelect(Math.max(0, findWidestByName(layout, name)))}
          >
            <span class="mono clip">{name}</span>
            <span class="number muted">{formatShare(value / all)}</span>
          </button>
        );
      })}
      {props.of.length > NEIGHBOURS_MAX && <div class="faint">and {props.of.length - NEIGHBOURS_MAX} more</div>}
    </section>
  );
}
