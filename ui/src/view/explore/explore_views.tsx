// SPDX-License-Identifier: Apache-2.0
//
// The views of a profile other than flame graphs: table, tree, sandwich, lines.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Lines, Top, TopRow } from "../../api/types";
import { formatShare, formatValue } from "../../profile/cost/units";
import { childrenOf, type FlameLayout, layOut, nodeName, withoutEmptyRoot } from "../../profile/flame/flame_layout";
import { parseQuery } from "../../profile/flame/search";
import { exactValue } from "../../profile/query/selector";
import { update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { useFlame } from "../graphs/flame_data";
import { FlameView } from "../graphs/flame_view";
import { EmptyState, ErrorState, FunctionName, Share, Shown } from "../parts/parts";
import { SourceLines } from "../parts/source_lines";
import { VirtualList } from "../parts/virtual_list";

type Scope = readonly (readonly [string, string])[];
type SortKey = "self" | "total" | "function" | "module";

export function TableView(props: {
  readonly scope: Scope;
  readonly search: string;
  readonly selected: string;
  readonly onSelect: (name: string) => void;
}): JSX.Element {
  const top = useApi<Top>("top", [...props.scope, ["limit", "1000"]]);
  const [sort, setSort] = useState<SortKey>("self");
  const rows = useMemo(() => {
    const { query } = parseQuery(props.search);
    const texts: Record<string, (row: TopRow) => string> = {
      name: (row) => row.function,
      file: (row) => row.file ?? "",
      module: (row) => row.module ?? "",
      type: () => "",
    };
    const found = (top.data?.rows ?? []).filter((row) => query === null || query.test(texts[query.field]?.(row) ?? ""));
    return [...found].sort((a, b) =>
      sort === "self" || sort === "total" ? b[sort] - a[sort] : (a[sort] ?? "").localeCompare(b[sort] ?? ""),
    );
  }, [top.data, sort, props.search]);
  const at = rows.findIndex((row) => row.function === props.selected);
  const head = (key: SortKey, name: string, isNumber: boolean): JSX.Element => (
    <span class={isNumber ? "number" : ""} role="columnheader" aria-sort={sort === key ? "descending" : "none"}>
      <button type="button" class="menu-item" onClick={() => setSort(key)}>
        {name}
        {sort === key ? " ▾" : ""}
      </button>
    </span>
  );
  if (top.error !== null) return <ErrorState error={top.error} />;
  if (top.data === null) return <div class="state faint">Loading …</div>;
  const { total, unit } = top.data;
  return (
    <div class="table-view" role="table" aria-label="Functions" aria-rowcount={rows.length + 1}>
      <div class="table-row head" role="row">
        {head("function", "Function", false)}
        {head("self", "Self", true)}
        <span class="number">%</span>
        {head("total", "Total", true)}
        <span>Share of total</span>
        {head("module", "Module", false)}
        <span>Location</span>
      </div>
      <VirtualList
        class="grow"
        role="rowgroup"
        label="Functions"
        count={rows.length}
        rowPx={27}
        revealed={at}
        onKey={(event) => {
          const next = event.key === "ArrowDown" ? at + 1 : event.key === "ArrowUp" ? at - 1 : -1;
          const row = rows[next];
          if (row === undefined) return;
          event.preventDefault();
          props.onSelect(row.function);
        }}
        row={(i) => {
          const row = rows[i];
          if (row === undefined) return null;
          return (
            <div
              class="table-row"
              role="row"
              aria-selected={row.function === props.selected}
              onClick={() => props.onSelect(row.function)}
            >
              <span class="clip" role="cell">
                <FunctionName name={row.function} />
              </span>
              <span class="number" role="cell">
                {formatValue(row.self, unit)}
              </span>
              <span class="number muted" role="cell">
                {formatShare(total === 0 ? 0 : row.self / total)}
              </span>
              <span class="number" role="cell">
                {formatValue(row.total, unit)}
              </span>
              <span role="cell">
                <Share of={total === 0 ? 0 : row.total / total} />
              </span>
              <span class="clip muted" role="cell">
                {row.module}
              </span>
              <span class="clip muted mono" role="cell">
                {row.file !== undefined && row.file !== "" ? `${row.file}:${row.line ?? "?"}` : ""}
              </span>
            </div>
          );
        }}
      />
      {top.data.rows.length === 1000 && <div class="status-line">Showing the 1000 largest functions.</div>}
    </div>
  );
}

// The visible nodes as rows. Initially the hottest path is expanded.
export function TreeView({
  layout,
  selected,
  onSelect,
}: {
  readonly layout: FlameLayout;
  readonly selected: number;
  readonly onSelect: (node: number) => void;
}): JSX.Element {
  const hot = useMemo(() => {
    const open = new Set<number>([0]);
    for (let node = 0, left = 14; left > 0; --left) {
      const children = childrenOf(layout, node);
      const next = children.reduce(
        (best, child) => (best < 0 || (layout.width[child] ?? 0) > (layout.width[best] ?? 0) ? child : best),
        -1,
      );
      if (next < 0 || (layout.width[next] ?? 0) < 0.3 * (layout.width[node] ?? 0)) break;
      open.add(next);
      node = next;
    }
    return open;
  }, [layout]);
  const [changed, setChanged] = useState<{ layout: FlameLayout; open: ReadonlySet<number> } | null>(null);
  const open = changed?.layout === layout ? changed.open : hot;
  const rows = useMemo(() => {
    const out: number[] = [];
    for (let node = 0; node < layout.tree.count; ) {
      out.push(node);
      node = open.has(node) ? node + 1 : (layout.end[node] ?? node + 1);
    }
    return out;
  }, [layout, open]);
  const toggle = (node: number): void => {
    const next = new Set(open);
    if (!next.delete(node)) next.add(node);
    setChanged({ layout, open: next });
  };
  const at = rows.indexOf(selected);
  const all = Math.max(1, layout.total[0]?.[0] ?? 1);
  const isInverted = layout.isInverted === true;
  const key = (event: KeyboardEvent): void => {
    const node = rows[at] ?? 0;
    if (event.key === "ArrowDown") onSelect(rows[at + 1] ?? node);
    else if (event.key === "ArrowUp") onSelect(rows[at - 1] ?? node);
    else if (event.key === "ArrowRight" && !open.has(node)) toggle(node);
    else if (event.key === "ArrowLeft") open.has(node) ? toggle(node) : onSelect(layout.parent[node] ?? 0);
    else return;
    event.preventDefault();
  };
  return (
    <div class="table-view">
      <div class="tree-row head">
        <span>{isInverted ? "Callers of leaf functions" : "Call tree"}</span>
        <span class="number">{isInverted ? "Self" : "Total"}</span>
        <span class="number">%</span>
        <span class="number">{isInverted ? "" : "Self"}</span>
        <span class="number">{isInverted ? "" : "%"}</span>
      </div>
      <VirtualList
        class="grow"
        role="treegrid"
        label="Call tree"
        count={rows.length}
        rowPx={24}
        revealed={at}
        onKey={key}
        row={(i) => {
          const node = rows[i] ?? 0;
          const isLeaf = (layout.end[node] ?? 0) === node + 1;
          const depth = layout.tree.depth[node] ?? 0;
          const total = layout.total[0]?.[node] ?? 0;
          const self = layout.tree.self[0]?.[node] ?? 0;
          const folded = layout.tree.folded.get(node);
          return (
            <div
              class="tree-row"
              role="row"
              aria-level={depth + 1}
              aria-expanded={isLeaf ? undefined : open.has(node)}
              aria-selected={node === selected}
              onClick={() => onSelect(node)}
              onDblClick={() => toggle(node)}
            >
              <span class="clip" role="gridcell" style={{ paddingLeft: `${Math.min(depth, 60) * 12}px` }}>
                {isLeaf ? (
                  <span class="fold" />
                ) : (
                  <button
                    type="button"
                    class="fold"
                    tabIndex={-1}
                    aria-label={open.has(node) ? "Collapse" : "Expand"}
                    onClick={() => toggle(node)}
                  >
                    {open.has(node) ? "▾" : "▸"}
                  </button>
                )}
                <span class="mono">{folded === undefined ? nodeName(layout, node) || "all" : `${folded} more`}</span>
              </span>
              <span class="number" role="gridcell">
                {formatValue(total, layout.tree.unit)}
              </span>
              <span class="number muted" role="gridcell">
                {formatShare(total / all)}
              </span>
              <span class="number" role="gridcell">
                {isInverted ? "" : formatValue(self, layout.tree.unit)}
              </span>
              <span class="number muted" role="gridcell">
                {isInverted ? "" : formatShare(self / all)}
              </span>
            </div>
          );
        }}
      />
    </div>
  );
}

export function SandwichView({ scope, name }: { readonly scope: Scope; readonly name: string }): JSX.Element {
  const pivot = (side: string): [string, string][] | null =>
    name === ""
      ? null
      : [...scope.map(([key, value]) => [key, value] as [string, string]), ["pivot", name], ["side", side]];
  const callers = useFlame(pivot("callers"));
  const callees = useFlame(pivot("callees"));
  const trimmed = (layout: FlameLayout | undefined): FlameLayout | null =>
    layout === undefined ? null : layOut(withoutEmptyRoot(layout.tree));
  const callersLayout = useMemo(() => trimmed(callers.data?.layout), [callers.data]);
  const calleesLayout = useMemo(() => trimmed(callees.data?.layout), [callees.data]);
  if (name === "")
    return (
      <div class="state">
        <strong>No function selected</strong>Select a function in the graph or the table to see its callers above and
        its callees below.
      </div>
    );
  const error = callers.error ?? callees.error;
  if (error !== null) return <ErrorState error={error} />;
  if (callers.data === null || callees.data === null) return <div class="state faint">Loading …</div>;
  if (callees.data.empty !== undefined) return <EmptyState empty={callees.data.empty} />;
  const half = (layout: FlameLayout, isRootBelow: boolean, label: string): JSX.Element => (
    <FlameView
      layout={layout}
      colorMode="type"
      matching={null}
      isRootBelow={isRootBelow}
      zoomed={0}
      selected={0}
      label={label}
      onSelect={() => undefined}
      onZoom={(node) => update({ sel: nodeName(layout, node) })}
      menu={(node) => [{ label: "Centre on this function", run: () => update({ sel: nodeName(layout, node) }) }]}
    />
  );
  return (
    <div class="sandwich">
      <div class="muted side-label">Callers</div>
      {half(callersLayout ?? callers.data.layout, true, `Callers of ${name}`)}
      <div class="middle">
        <b class="mono">{name}</b>{" "}
        <span>{formatValue(callees.data.layout.total[0]?.[0] ?? 0, callees.data.layout.tree.unit)}</span>
      </div>
      {half(calleesLayout ?? callees.data.layout, false, `Callees of ${name}`)}
      <div class="muted side-label">Callees</div>
    </div>
  );
}

export function LinesView({ scope, name }: { readonly scope: Scope; readonly name: string }): JSX.Element {
  const lines = useApi<Lines>(name === "" ? null : "lines", [...scope, ["fn", name]]);
  if (name === "")
    return (
      <div class="state">
        <strong>No function selected</strong>Select a function in the graph or the table to see its cost line by line.
      </div>
    );
  const q = urlState.value.q;
  return (
    <div class="scroll">
      <h2 class="pad clip">
        Lines of <span class="mono">{name}</span>
      </h2>
      <Shown of={lines}>
        {(data) => (
          <SourceLines
            lines={data}
            all={data.total}
            place={{ service: exactValue(q, "service.name"), version: exactValue(q, "service.version") }}
          />
        )}
      </Shown>
    </div>
  );
}
