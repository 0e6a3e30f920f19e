// SPDX-License-Identifier: Apache-2.0
//
// The selected frame: its cost, related data and actions.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Callers, Lines } from "../../api/types";
import { formatShare, formatValue } from "../../profile/cost/units";
import { FRAME_INLINED, FRAME_NAMELESS } from "../../profile/flame/flame_decoder";
import { type FlameLayout, nodeName } from "../../profile/flame/flame_layout";
import { scopeParameters } from "../../profile/query/url_state";
import { hrefKeepingScope, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { HopList } from "../parts/hop_list";
import type { MenuEntry } from "../parts/menu";
import { Share, Shown } from "../parts/parts";
import { BreakdownSection } from "./breakdown";

export function Inspector({
  layout,
  node,
  menu,
}: {
  readonly layout: FlameLayout;
  readonly node: number;
  readonly menu: readonly MenuEntry[];
}): JSX.Element {
  const { tree } = layout;
  const frame = tree.frame[node] ?? 0;
  const name = nodeName(layout, node);
  const isFunction = name !== "" && !tree.folded.has(node);
  const all = layout.total[0]?.[0] ?? 0;
  const total = layout.total[0]?.[node] ?? 0;
  const self = tree.self[0]?.[node] ?? 0;
  const everywhere = useTotalOfFunction(layout, frame, isFunction);
  const flags = tree.frames.flags[frame] ?? 0;
  const line = tree.frames.line[frame] ?? 0;
  const state = urlState.value;
  return (
    <aside class="panel inspector" aria-label="Selected">
      <section>
        <div class="name">{isFunction ? name : name === "" ? "Whole profile" : "Folded frames"}</div>
        <div class="muted">
          {[tree.frames.file[frame], line > 0 ? String(line) : ""].filter((text) => text !== "").join(":")}
        </div>
        <div class="row wrap">
          {tree.frames.type[frame] !== "" && <span class="chip">{tree.frames.type[frame]}</span>}
          {tree.frames.module[frame] !== "" && (
            <span class="chip" title="module">
              {tree.frames.module[frame]}
            </span>
          )}
          {(flags & FRAME_INLINED) !== 0 && <span class="chip">inlined</span>}
          {(flags & FRAME_NAMELESS) !== 0 && (
            <a class="chip new" href={hrefKeepingScope("/symbols")}>
              no symbols: why?
            </a>
          )}
        </div>
      </section>
      <section>
        <dl class="facts">
          <dt>Total (this path)</dt>
          <dd class="number">
            {formatValue(total, tree.unit)} · {formatShare(all === 0 ? 0 : total / all)}
          </dd>
          {layout.isInverted !== true && [
            <dt key="self">Self</dt>,
            <dd key="value" class="number">
              {formatValue(self, tree.unit)} · {formatShare(all === 0 ? 0 : self / all)}
            </dd>,
          ]}
          {isFunction && [
            <dt key="t">Total (all paths)</dt>,
            <dd key="d" class="number">
              {formatValue(everywhere, tree.unit)} · {formatShare(all === 0 ? 0 : everywhere / all)}
            </dd>,
          ]}
        </dl>
      </section>
      {name === "" && <BreakdownSection />}
      {isFunction && (
        <section>
          <h2>Related</h2>
          {state.scratch === "" ? (
            <HopList
              limit={8}
              parameters={[
                ["fn", name],
                ...scopeParameters(state).filter(([key]) => ["q", "from", "to", "type"].includes(key)),
              ]}
            />
          ) : (
            <span class="faint">An uploaded file has no traces or logs.</span>
          )}
        </section>
      )}
      {isFunction && (
        <section>
          <h2>Lines</h2>
          <LineShares name={name} />
        </section>
      )}
      <section>
        <h2>Actions</h2>
        {menu.map((entry) => (
          <button type="button" key={entry.label} class="menu-item" onClick={entry.run}>
            {entry.label} {entry.key !== undefined && <kbd>{entry.key}</kbd>}
          </button>
        ))}
      </section>
    </aside>
  );
}

// The cost of the function in all call paths. A graph with folded call paths does not have it, so request it.
function useTotalOfFunction(layout: FlameLayout, frame: number, isFunction: boolean): number {
  const { tree } = layout;
  const isCut = tree.folded.size > 0 && nodeName(layout, 0) === ""; // below a call path, the graph is the reference
  const callers = useApi<Callers>(isFunction && isCut ? "callers" : null, [
    ...scopeParameters(urlState.value),
    ["fn", tree.frames.name[frame] ?? ""],
  ]);
  const inGraph = useMemo(() => {
    let sum = 0;
    let until = 0;
    for (let i = 0; i < tree.count; ++i) {
      if (tree.frame[i] !== frame || i < until) continue;
      sum += layout.total[0]?.[i] ?? 0;
      until = layout.end[i] ?? 0;
    }
    return sum;
  }, [layout, frame]);
  return callers.data?.rows[0]?.total ?? inGraph;
}

function LineShares({ name }: { readonly name: string }): JSX.Element {
  const lines = useApi<Lines>("lines", [...scopeParameters(urlState.value), ["fn", name]]);
  return (
    <Shown of={lines}>
      {(data) => (
        <>
          {data.rows.slice(0, 6).map((row) => (
            <div key={`${row.file}:${row.line}`} class="row">
              <span class="mono clip grow">
                {row.file === undefined || row.file === "" ? "unknown file" : row.file}:{row.line ?? "?"}
              </span>
              <div style={{ width: "120px" }}>
                <Share of={data.total === 0 ? 0 : row.total / data.total} />
              </div>
            </div>
          ))}
        </>
      )}
    </Shown>
  );
}
