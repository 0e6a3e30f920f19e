// SPDX-License-Identifier: Apache-2.0
//
// A list that renders only the visible rows.
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export function VirtualList(props: {
  readonly count: number;
  readonly rowPx: number;
  readonly class?: string;
  readonly role: "grid" | "treegrid" | "rowgroup";
  readonly label: string;
  readonly row: (index: number) => ComponentChildren;
  readonly onKey?: (event: KeyboardEvent) => void;
  readonly revealed?: number;
  readonly onEnd?: () => void;
}): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const measure = (): void => {
    if (host.current === null) return;
    const { scrollTop, clientHeight, scrollHeight } = host.current;
    setView({ top: scrollTop, height: clientHeight });
    if (scrollTop + clientHeight > scrollHeight - 400) props.onEnd?.();
  };
  useEffect(() => {
    if (host.current === null) return;
    const observer = new ResizeObserver(measure);
    observer.observe(host.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (host.current === null || props.revealed === undefined || props.revealed < 0) return;
    const top = props.revealed * props.rowPx;
    if (top < host.current.scrollTop) host.current.scrollTop = top;
    else if (top + props.rowPx > host.current.scrollTop + host.current.clientHeight)
      host.current.scrollTop = top + props.rowPx - host.current.clientHeight;
  }, [props.revealed]);
  const first = Math.max(0, Math.floor(view.top / props.rowPx) - 8);
  const last = Math.min(props.count, Math.ceil((view.top + view.height) / props.rowPx) + 8);
  const rows: JSX.Element[] = [];
  for (let i = first; i < last; ++i)
    rows.push(
      <div class="line" key={i} style={{ top: `${i * props.rowPx}px`, height: `${props.rowPx}px` }}>
        {props.row(i)}
      </div>,
    );
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: every role used here supports a name
    // biome-ignore lint/a11y/noStaticElementInteractions: the role has keyboard handlers
    <div
      class={`virtual ${props.class ?? ""}`}
      ref={host}
      onScroll={measure}
      tabIndex={0}
      role={props.role}
      aria-label={props.label}
      aria-rowcount={props.role === "rowgroup" ? undefined : props.count}
      onKeyDown={props.onKey}
    >
      <div class="space" style={{ height: `${props.count * props.rowPx}px` }}>
        {rows}
      </div>
    </div>
  );
}
