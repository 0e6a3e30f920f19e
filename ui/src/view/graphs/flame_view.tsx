// SPDX-License-Identifier: Apache-2.0
//
// The flame graph as a component: canvas, tooltip and context menu.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { FlameCanvas, type FlameScene, labelOf } from "../../draw/flame_canvas";
import { paletteOf } from "../../profile/color/palette";
import { formatFrames, formatShare, formatSigned, formatValue } from "../../profile/cost/units";
import type { FlameLayout } from "../../profile/flame/flame_layout";
import { type ColorMode, nodeColors } from "../../profile/flame/node_colors";
import { theme } from "../../state/theme";
import { Menu, type MenuEntry } from "../parts/menu";

export interface FlameViewProps {
  readonly layout: FlameLayout;
  readonly colorMode: ColorMode;
  readonly scale?: number; // of the later side, in a comparison
  readonly matching: Uint8Array | null;
  readonly isRootBelow: boolean;
  readonly isOverTime?: boolean;
  readonly zoomed: number;
  readonly selected: number;
  readonly label: string;
  readonly foldedNote?: string; // tooltip text of folded frames
  readonly onSelect: (node: number) => void;
  readonly onZoom: (node: number) => void;
  readonly onHover?: (node: number) => void;
  readonly menu?: (node: number) => readonly MenuEntry[];
  readonly sceneRef?: { current: FlameScene | null };
  readonly canvasRef?: { current: FlameCanvas | null };
}

export function describeNode(layout: FlameLayout, node: number, scale = 1): string {
  const { tree } = layout;
  const all = layout.total.map((column) => column[0] ?? 0);
  const name = labelOf(layout, node);
  const callees = (layout.end[node] ?? 0) - node - 1;
  const after = layout.total.length - 1;
  const value = layout.total[after]?.[node] ?? 0;
  const self = tree.self[after]?.[node] ?? 0;
  const share = (of: number): string => formatShare(all[after] === 0 ? 0 : of / (all[after] ?? 1));
  if (layout.total.length === 2) {
    const before = layout.total[0]?.[node] ?? 0;
    const change = value * scale - before;
    return [
      name,
      `before ${formatValue(before, tree.unit)}`,
      `after ${formatValue(value * scale, tree.unit)}`,
      formatSigned(formatValue(change, tree.unit), change),
    ].join(", ");
  }
  return [
    name,
    `${share(value)} total`,
    formatValue(value, tree.unit),
    ...(layout.isInverted === true ? [] : [`${share(self)} self`]),
    `level ${(tree.depth[node] ?? 0) + 1}`,
    `${formatFrames(callees)} below`,
  ].join(", ");
}

export function FlameView(props: FlameViewProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<FlameCanvas | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [hover, setHover] = useState<{ node: number; x: number; y: number } | null>(null);
  const [menu, setMenu] = useState<{ node: number; x: number; y: number } | null>(null);
  const mode = theme.value;
  const scale = props.scale ?? 1;
  useEffect(() => {
    if (host.current === null) return;
    const made = new FlameCanvas(host.current, {
      onHover: (node, x, y) => {
        setHover(node >= 0 ? { node, x, y } : null);
        latest.current.onHover?.(node);
      },
      onSelect: (node) => latest.current.onSelect(node),
      onZoom: (node) => latest.current.onZoom(node),
      onMenu: (node, x, y) => {
        setHover(null);
        setMenu({ node, x, y });
      },
    });
    canvas.current = made;
    if (latest.current.canvasRef !== undefined) latest.current.canvasRef.current = made;
    return () => made.destroy();
  }, []);
  // Not during rendering: colouring a large tree there would cause a long task.
  const colored = useRef<{ layout: FlameLayout; mode: ColorMode; scale: number; colors: Uint8Array } | null>(null);
  useEffect(() => {
    const { layout, colorMode, matching, isRootBelow, label } = props;
    if (colored.current?.layout !== layout || colored.current.mode !== colorMode || colored.current.scale !== scale) {
      colored.current = { layout, mode: colorMode, scale, colors: nodeColors(layout, colorMode, scale) };
    }
    const scene: FlameScene = {
      layout,
      colors: colored.current.colors,
      matching,
      palette: paletteOf(mode),
      isRootBelow,
      isOverTime: props.isOverTime === true,
      label,
      describe: (node) => describeNode(layout, node, scale),
    };
    if (props.sceneRef !== undefined) props.sceneRef.current = scene;
    canvas.current?.setScene(scene, props.zoomed, props.selected);
  }, [
    props.layout,
    props.colorMode,
    scale,
    props.matching,
    mode,
    props.isRootBelow,
    props.label,
    props.zoomed,
    props.selected,
  ]);
  const entries = menu === null ? [] : (props.menu?.(menu.node) ?? []);
  return (
    <div class="flame-host" ref={host}>
      {hover !== null && menu === null && hover.node < props.layout.tree.count && (
        <Tooltip
          layout={props.layout}
          node={hover.node}
          scale={scale}
          x={hover.x}
          y={hover.y}
          foldedNote={props.foldedNote}
        />
      )}
      {menu !== null && entries.length > 0 && (
        <Menu
          key={`${menu.node} ${menu.x} ${menu.y}`}
          label="Actions"
          entries={entries}
          style={{
            left: `${Math.min(menu.x, window.innerWidth - 300)}px`,
            top: `${Math.min(menu.y, window.innerHeight - entries.length * 30 - 20)}px`,
          }}
          onClose={(isFocusBack) => {
            setMenu(null);
            if (isFocusBack) canvas.current?.focus(); // restore the focus for keyboard users
          }}
        />
      )}
    </div>
  );
}

function Tooltip({
  layout,
  node,
  scale,
  x,
  y,
  foldedNote,
}: {
  layout: FlameLayout;
  node: number;
  scale: number;
  x: number;
  y: number;
  foldedNote: string | undefined;
}): JSX.Element {
  const { tree } = layout;
  const frame = tree.frame[node] ?? 0;
  const isRight = x > window.innerWidth - 480;
  const isLow = y > window.innerHeight - 170;
  const place = {
    ...(isRight ? { right: `${window.innerWidth - x + 12}px` } : { left: `${x + 14}px` }),
    ...(isLow ? { bottom: `${window.innerHeight - y + 10}px` } : { top: `${y + 16}px` }),
  };
  const where = [tree.frames.file[frame], (tree.frames.line[frame] ?? 0) > 0 ? String(tree.frames.line[frame]) : ""]
    .filter((text) => text !== "" && text !== undefined)
    .join(":");
  const folded = tree.folded.get(node);
  return (
    <div class="tooltip" style={place} aria-hidden="true">
      <div class="name">{labelOf(layout, node)}</div>
      {layout.total.length === 2 ? (
        <DiffNumbers layout={layout} node={node} scale={scale} />
      ) : (
        <Numbers layout={layout} node={node} />
      )}
      {where !== "" && <div class="muted">{where}</div>}
      <div class="faint">
        {[tree.frames.type[frame], tree.frames.module[frame]]
          .filter((text) => text !== "" && text !== undefined)
          .join(" · ")}
      </div>
      {folded !== undefined && (
        <div class="faint">{foldedNote ?? "Too small to load at first: double-click to load"}</div>
      )}
    </div>
  );
}

export function Numbers({ layout, node }: { layout: FlameLayout; node: number }): JSX.Element {
  const { unit } = layout.tree;
  const all = layout.total[0]?.[0] ?? 0;
  const total = layout.total[0]?.[node] ?? 0;
  const self = layout.tree.self[0]?.[node] ?? 0;
  return (
    <div class="row">
      <span>
        <b>{formatShare(all === 0 ? 0 : total / all)}</b> {formatValue(total, unit)}
      </span>
      {layout.isInverted !== true && (
        <span class="muted">
          self {formatShare(all === 0 ? 0 : self / all)}, {formatValue(self, unit)}
        </span>
      )}
    </div>
  );
}

// Five numbers instead of one ambiguous percentage.
export function DiffNumbers({
  layout,
  node,
  scale,
}: {
  layout: FlameLayout;
  node: number;
  scale: number;
}): JSX.Element {
  const { unit, probability } = layout.tree;
  const before = layout.total[0]?.[node] ?? 0;
  const after = (layout.total[1]?.[node] ?? 0) * scale;
  const change = after - before;
  const all = layout.total[0]?.[0] ?? 0;
  const chance = probability?.[node] ?? 1;
  return (
    <dl class="facts">
      <dt>before</dt>
      <dd>{formatValue(before, unit)}</dd>
      <dt>after</dt>
      <dd>{formatValue(after, unit)}</dd>
      <dt>change</dt>
      <dd class={change > 0 ? "more" : "less"}>
        {formatSigned(formatValue(change, unit), change)} {before > 0 && `(×${(after / before).toFixed(2)})`}
      </dd>
      <dt>of total</dt>
      <dd>{formatSigned(formatShare(all === 0 ? 0 : change / all), change)}</dd>
      <dt>p-value</dt>
      <dd>
        {chance > 0.05 ? "within noise" : chance < 0.001 ? "significant (p < 0.001)" : `p = ${chance.toFixed(3)}`}
      </dd>
    </dl>
  );
}
