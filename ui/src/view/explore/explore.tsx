// SPDX-License-Identifier: Apache-2.0
//
// What is in this profile? One scope, many views of it, and links to related data.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Deployments, Series } from "../../api/types";
import type { FlameCanvas, FlameScene } from "../../draw/flame_canvas";
import { flameSvg } from "../../draw/flame_svg";
import type { TimeAxis } from "../../draw/heat_canvas";
import { paletteOf, typeColorIndex } from "../../profile/color/palette";
import { formatFrames, formatShare, formatValue } from "../../profile/cost/units";
import { FRAME_NAMELESS } from "../../profile/flame/flame_decoder";
import {
  ancestorsOf,
  type FlameLayout,
  findByHash,
  findWidestByName,
  nodeHash,
  nodeName,
  pathNames,
} from "../../profile/flame/flame_layout";
import type { ColorMode } from "../../profile/flame/node_colors";
import { parseQuery, searchFlame } from "../../profile/flame/search";
import { internalsOf } from "../../profile/query/filter_steps";
import { typeLabel } from "../../profile/query/profile_type";
import { scopeParameters, type UrlState } from "../../profile/query/url_state";
import { useRefreshHold } from "../../state/auto_refresh";
import { useKeys } from "../../state/keys";
import { go, hrefKeepingScope, range, update, updateExtra, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { theme } from "../../state/theme";
import { Chart, deployMarks, seriesLines } from "../graphs/chart";
import { useFlame } from "../graphs/flame_data";
import { FlameView } from "../graphs/flame_view";
import { addFilter, FilterChips, regexOf } from "../parts/filters";
import type { MenuEntry } from "../parts/menu";
import { copyText, download, EmptyState, ErrorState, isStale, PartialNote, StaleNote, Tabs } from "../parts/parts";
import { LinesView, SandwichView, TableView, TreeView } from "./explore_views";
import { ExportMenu } from "./export_menu";
import { HeatView } from "./heat_view";
import { Inspector } from "./inspector";
import { SearchResult } from "./search_result";
import { TimeView } from "./time_view";

const VIEWS = [
  ["icicle", "Icicle"],
  ["flame", "Flame"],
  ["sandwich", "Sandwich"],
  ["table", "Table"],
  ["tree", "Tree"],
  ["heat", "Heat"],
  ["lines", "Lines"],
  ["chart", "Timeline"],
  ["both", "Both"],
] as const;
const COLORS: readonly (readonly [string, string])[] = [
  ["type", "by type"],
  ["module", "by module"],
  ["package", "by package"],
  ["self", "by self"],
  ["none", "plain"],
];
const NODES = 20_000;
const NODES_MAX = 1_000_000;

export function ExplorePage(): JSX.Element {
  const state = urlState.value;
  const root = state.extra["root"] ?? "";
  const nodes = Number(state.extra["nodes"] ?? NODES);
  const scope = scopeParameters(state);
  const withRoot: [string, string][] = root === "" ? scope : [...scope, ["root", root]];
  const canInvert = ["icicle", "flame", "tree", "both"].includes(state.view);
  const isInverted = canInvert && state.extra["invert"] === "1";
  const invert = (): void =>
    update({ z: "", zn: "", extra: { ...state.extra, root: "", invert: isInverted ? "" : "1" } });
  const flame = useFlame([
    ...withRoot,
    ["nodes", String(nodes)],
    ...(isInverted ? [["side", "callers"] as [string, string]] : []),
  ]);
  const layout = flame.data?.layout ?? null;
  const [selected, setSelected] = useState(0);
  useEffect(
    () => setSelected(layout === null || state.sel === "" ? 0 : Math.max(0, findWidestByName(layout, state.sel))),
    [layout],
  );
  useRefreshHold(state.z !== "" ? "the graph is zoomed" : state.sel !== "" ? "a function is selected" : "");
  const zoom = useZoom(layout, state);
  const search = useMemo(() => {
    const { query, error } = parseQuery(state.s);
    return { matches: layout === null || query === null ? null : searchFlame(layout, query), error };
  }, [layout, state.s]);
  const scene = useRef<FlameScene | null>(null);
  const canvas = useRef<FlameCanvas | null>(null);
  const [hovered, setHovered] = useState(-1);

  const select = (node: number): void => {
    setSelected(node);
    if (layout !== null) update({ sel: node === 0 ? "" : nodeName(layout, node) }, true);
  };
  const zoomTo = (node: number): void => {
    if (layout === null) return;
    const isFolded = layout.tree.folded.has(node);
    const target = isFolded ? (layout.parent[node] ?? 0) : node;
    if (!isFolded) {
      update({ z: target === 0 ? "" : nodeHash(layout, target), zn: target === 0 ? "" : nodeName(layout, target) });
    } else if (target === 0) updateExtra({ nodes: String(Math.min(NODES_MAX, nodes * 5)) });
    else update({ z: "", zn: "", extra: { ...state.extra, root: nodeHash(layout, target) } });
  };
  const step = (way: 1 | -1): void => {
    const found = search.matches?.nodes ?? [];
    if (found.length === 0) return;
    const at = way === 1 ? found.find((node) => node > selected) : [...found].reverse().find((node) => node < selected);
    select(at ?? (way === 1 ? found[0] : found.at(-1)) ?? 0);
  };
  const menu = (node: number): MenuEntry[] => (layout === null ? [] : verbsOf(layout, node, state, zoomTo));
  const run = (key: string) => (): void =>
    verbsOf(layout, selected, state, zoomTo)
      .find((entry) => entry.key === key)
      ?.run();
  const save = (): void => {
    if (scene.current === null || layout === null) return;
    const ground = getComputedStyle(document.body).backgroundColor;
    download(
      "flame.svg",
      new Blob([flameSvg(scene.current, zoom.node, `${typeLabel(layout.tree.type)} ${state.q}`, ground)], {
        type: "image/svg+xml",
      }),
    );
  };
  useKeys({
    ...(canInvert ? { i: invert } : {}),
    ...Object.fromEntries(VIEWS.map(([view], i) => [String(i + 1), () => update({ view })])),
    "0": () => update({ z: "", zn: "" }),
    n: () => step(1),
    N: () => step(-1),
    ...Object.fromEntries(["k", "d", "m", "f", "F", "c", "Y"].map((key) => [key, run(key)])),
    r: () => addFilter("recursion"),
    u: () => update({ f: state.f.slice(0, -1) }),
    b: () => compareWithBefore(state),
    e: save,
    Escape: () => update({ s: "" }),
  });

  // The heat map is aligned with the timeline above it, and two views side by side need the space.
  const hasInspector =
    layout !== null && flame.data?.empty === undefined && state.view !== "heat" && state.view !== "both";
  const [axis, setAxis] = useState<TimeAxis | null>(null);
  const isGraph = state.view === "icicle" || state.view === "flame" || state.view === "both";
  const graph =
    layout === null ? null : (
      <FlameView
        layout={layout}
        colorMode={state.color as ColorMode}
        matching={search.matches?.frames ?? null}
        isRootBelow={state.view === "flame"}
        zoomed={zoom.node}
        selected={selected}
        label={`${typeLabel(layout.tree.type)} flame graph`}
        onSelect={select}
        onZoom={zoomTo}
        onHover={setHovered}
        menu={menu}
        sceneRef={scene}
        canvasRef={canvas}
      />
    );
  const table =
    layout === null ? null : (
      <TableView
        scope={scope}
        search={state.s}
        selected={state.sel}
        onSelect={(name) => {
          setSelected(Math.max(0, findWidestByName(layout, name)));
          update({ sel: name }, true);
        }}
      />
    );
  const shown = hovered >= 0 ? hovered : selected;
  return (
    <>
      <h1 class="visually-hidden">
        Explore {typeLabel(state.type !== "" ? state.type : (layout?.tree.type ?? "cpu"))} {state.q}
      </h1>
      <Strip scope={scope} onAxis={setAxis} />
      <div class={`workbench ${hasInspector ? "" : "no-inspector"}`}>
        <section class="panel" aria-label="Profile">
          <div class="toolbar">
            <Tabs label="View" options={VIEWS} value={state.view} onChoose={(view) => update({ view })} />
            <div class="grow" />
            <button type="button" class="button" onClick={() => compareWithBefore(state)}>
              Compare
            </button>
            <ExportMenu
              state={state}
              onSvg={save}
              onPng={() => canvas.current?.picture().toBlob((blob) => blob !== null && download("flame.png", blob))}
            />
          </div>
          <FilterChips
            lead={
              <>
                <input
                  type="search"
                  placeholder="Search: text, /regex/, file:, mod:"
                  aria-label="Search"
                  value={state.s}
                  spellcheck={false}
                  onInput={(event) => update({ s: event.currentTarget.value }, true)}
                  onKeyDown={(event) => event.key === "Enter" && step(event.shiftKey ? -1 : 1)}
                />
                {search.error !== "" && <span class="chip error">{search.error}</span>}
                {search.matches !== null && layout !== null && (
                  <SearchResult
                    layout={layout}
                    matches={search.matches}
                    text={state.s}
                    scope={withRoot}
                    onOpen={(row) =>
                      update({ z: "", zn: "", sel: row.function, extra: { ...state.extra, root: row.path } })
                    }
                  />
                )}
              </>
            }
          >
            {canInvert && (
              <button
                type="button"
                class="button"
                aria-pressed={isInverted}
                title="Bottom-up: leaf functions with their callers below (i)"
                onClick={invert}
              >
                Inverted
              </button>
            )}
            {isGraph && (
              <select
                aria-label="Colour"
                value={state.color}
                onChange={(event) => update({ color: event.currentTarget.value })}
              >
                {COLORS.map(([value, name]) => (
                  <option key={value} value={value}>
                    Colour {name}
                  </option>
                ))}
              </select>
            )}
          </FilterChips>
          {layout !== null && <Crumbs layout={layout} zoomed={zoom.node} root={root} onZoom={zoomTo} />}
          {zoom.notice !== "" && <div class="note">{zoom.notice}</div>}
          {layout !== null && flame.data?.empty === undefined && <NamelessNote layout={layout} />}
          {flame.isLoading && <div class="progress-line" />}
          <PartialNote meta={flame.data?.meta} />
          <StaleNote of={flame} />
          {flame.error !== null && !isStale(flame) ? (
            <ErrorState error={flame.error} />
          ) : flame.data?.empty !== undefined ? (
            <EmptyState empty={flame.data.empty} />
          ) : layout === null ? (
            <div class="state faint">Loading …</div>
          ) : state.view === "both" ? (
            <div class="both">
              {table}
              {graph}
            </div>
          ) : isGraph ? (
            graph
          ) : state.view === "sandwich" ? (
            <SandwichView scope={scope} name={state.sel} />
          ) : state.view === "table" ? (
            table
          ) : state.view === "tree" ? (
            <TreeView layout={layout} selected={selected} onSelect={select} />
          ) : state.view === "heat" ? (
            <HeatView scope={scope} axis={axis} />
          ) : state.view === "chart" ? (
            <TimeView scope={scope} onSelect={(name) => select(Math.max(0, findWidestByName(layout, name)))} />
          ) : (
            <LinesView scope={scope} name={state.sel} />
          )}
          {layout !== null && flame.data?.empty === undefined && (
            <StatusLine layout={layout} node={Math.min(shown, layout.tree.count - 1)} zoomed={zoom.node} />
          )}
        </section>
        {layout !== null && hasInspector && (
          <Inspector layout={layout} node={Math.min(selected, layout.tree.count - 1)} menu={menu(selected)} />
        )}
      </div>
    </>
  );
}

function useZoom(layout: FlameLayout | null, state: UrlState): { node: number; notice: string } {
  return useMemo(() => {
    if (layout === null || state.z === "") return { node: 0, notice: "" };
    const exact = findByHash(layout, state.z);
    if (exact >= 0) return { node: exact, notice: "" };
    const byName = findWidestByName(layout, state.zn);
    if (byName >= 0)
      return {
        node: byName,
        notice: `The linked call path is not in this profile; showing the largest ${state.zn} instead.`,
      };
    return { node: 0, notice: `${state.zn === "" ? "The linked frame" : state.zn} is not in this profile.` };
  }, [layout, state.z, state.zn]);
}

function verbsOf(
  layout: FlameLayout | null,
  node: number,
  state: UrlState,
  zoomTo: (node: number) => void,
): MenuEntry[] {
  if (layout === null) return [];
  if (layout.tree.folded.has(node)) return [{ label: "Load folded frames", run: () => zoomTo(node) }];
  const name = nodeName(layout, node);
  if (name === "") return [{ label: "Zoom out", key: "0", run: () => zoomTo(0) }];
  const exactly = regexOf(name);
  const isInverted = layout.isInverted === true;
  const path = isInverted ? pathNames(layout, node).reverse() : pathNames(layout, node);
  return [
    { label: "Zoom in", key: "Enter", run: () => zoomTo(node) },
    { label: "Keep stacks with this function", key: "k", run: () => addFilter(`only:${exactly}`) },
    { label: "Drop stacks with this function", key: "d", run: () => addFilter(`drop:${exactly}`) },
    { label: "Hide function (merge into caller)", key: "m", run: () => addFilter(`hide:${exactly}`) },
    { label: "Focus on this function", key: "f", run: () => addFilter(`from:${exactly}`) },
    ...(isInverted
      ? []
      : [{ label: "Keep only this call path", key: "F", run: () => addFilter(`subtree:${nodeHash(layout, node)}`) }]),
    { label: "Collapse callees", key: "c", run: () => addFilter(`until:${exactly}`) },
    { label: "Collapse recursion", key: "r", run: () => addFilter("recursion") },
    { label: "Copy name", run: () => void copyText(name, "Name") },
    { label: "Copy call path", key: "Y", run: () => void copyText(path.join(";"), "Call path") },
    { label: "Callers and callees", run: () => update({ view: "sandwich", sel: name }) },
    { label: "Source lines", run: () => update({ view: "lines", sel: name }) },
    {
      label: "Open function page",
      run: () =>
        go(`/fn/${encodeURIComponent(name)}`, {
          ...state,
          view: "icicle",
          f: internalsOf(state.f),
          z: "",
          zn: "",
          s: "",
          sel: "",
        }),
    },
  ];
}

export function compareWithBefore(state: UrlState): void {
  const { from, to } = range.peek();
  const span = to - from;
  const baseline = state.scratch === "" ? { from: String(Math.round(from - span)), to: String(Math.round(from)) } : {};
  go("/diff", { ...state, view: "icicle", color: "type", z: "", zn: "", baseline });
}

function Strip({
  scope,
  onAxis,
}: {
  readonly scope: [string, string][];
  readonly onAxis: (axis: TimeAxis | null) => void;
}): JSX.Element | null {
  const series = useApi<Series>("series", scope);
  const deployments = useApi<Deployments>("deployments", scope);
  const hasPoints = series.data !== null && (series.data.lines[0]?.values.length ?? 0) >= 3;
  useEffect(() => {
    if (!hasPoints) onAxis(null);
  }, [hasPoints]);
  if (series.data === null || !hasPoints) return null;
  return (
    <div class="panel strip">
      <Chart
        {...seriesLines(series.data, false)}
        height={84}
        hasLegend={false}
        marks={deployMarks(deployments.data)}
        label="Cost over time"
        onAxis={onAxis}
        onBrush={(from, to) => update({ from: String(Math.round(from)), to: String(Math.round(to)) })}
      />
    </div>
  );
}

function Crumbs(props: {
  readonly layout: FlameLayout;
  readonly zoomed: number;
  readonly root: string;
  readonly onZoom: (node: number) => void;
}): JSX.Element | null {
  const path = ancestorsOf(props.layout, props.zoomed);
  if (path.length < 2 && props.root === "") return null;
  return (
    <nav class="crumbs" aria-label="Zoomed to">
      {props.root !== "" && (
        <button type="button" onClick={() => update({ z: "", zn: "", extra: { ...urlState.peek().extra, root: "" } })}>
          all
        </button>
      )}
      {props.root !== "" &&
        props.layout.tree.path.map((name) => (
          <span key={name} class="faint clip">
            › {name}{" "}
          </span>
        ))}
      {path.map((node, i) => [
        i > 0 || props.root !== "" ? (
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
      <Legend layout={layout} />
      <span>{formatFrames(layout.tree.count)}</span>
    </div>
  );
}

const NAMELESS_SHARE_MIN = 0.05;

function NamelessNote({ layout }: { readonly layout: FlameLayout }): JSX.Element | null {
  const share = useMemo(() => {
    const { tree } = layout;
    let sum = 0;
    for (let i = 0; i < tree.count; ) {
      const isNameless = ((tree.frames.flags[tree.frame[i] ?? 0] ?? 0) & FRAME_NAMELESS) !== 0;
      if (isNameless) sum += layout.width[i] ?? 0;
      i = isNameless ? (layout.end[i] ?? i + 1) : i + 1;
    }
    return sum / Math.max(1, layout.width[0] ?? 1);
  }, [layout]);
  if (share < NAMELESS_SHARE_MIN) return null;
  return (
    <div class="note thin">
      {formatShare(share)} of the cost is in stacks with unsymbolized frames.{" "}
      <a href={hrefKeepingScope("/symbols")}>How to fix this</a>
    </div>
  );
}

const LEGEND_MAX = 16; // senders may use any type

// Frame types by colour. Selecting a type highlights its frames.
function Legend({ layout }: { readonly layout: FlameLayout }): JSX.Element | null {
  const { color, s } = urlState.value;
  const types = useMemo(() => [...new Set(layout.tree.frames.type)].filter((type) => type !== "").sort(), [layout]);
  if (color !== "type" || types.length < 2) return null;
  return (
    <span class="swatches">
      {types.slice(0, LEGEND_MAX).map((type) => (
        <button
          type="button"
          key={type}
          aria-pressed={s === `type:${type}`}
          title={`Highlight ${type} frames`}
          onClick={() => update({ s: s === `type:${type}` ? "" : `type:${type}` }, true)}
        >
          <i class="dot" style={{ background: paletteOf(theme.value).css[typeColorIndex(type, "")] ?? "" }} /> {type}
        </button>
      ))}
    </span>
  );
}
