// SPDX-License-Identifier: Apache-2.0
//
// What a search found. A graph has the largest call paths of a profile and folds the others into "(other)"; the server
// searches all of them, and each one that is folded can be opened.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SearchResult as Found, SearchRow } from "../api/types";
import { type FlameLayout, pathsIn } from "../profile/flame_layout";
import type { Matches } from "../profile/search";
import { formatCount, formatFrames, formatShare, formatValue } from "../profile/units";
import { useApi } from "../state/resource";

const TYPING_MS = 250;
const ROWS_SHOWN = 100;

interface SearchResultProps {
  readonly layout: FlameLayout;
  readonly matches: Matches;
  readonly text: string;
  readonly scope: readonly (readonly [string, string])[]; // with `root`, where the graph has one
  readonly onOpen: (row: SearchRow) => void;
}

export function SearchResult(props: SearchResultProps): JSX.Element {
  const { layout, matches } = props;
  const isCut = layout.tree.folded.size > 0;
  const text = useSettled(props.text, TYPING_MS);
  const isInverted = layout.isInverted === true; // the server searches call paths from the root on
  const found = useApi<Found>(isCut && !isInverted && text !== "" ? "search" : null, [
    ...props.scope.map(([key, value]) => [key, value] as [string, string]),
    ["text", text],
  ]);
  const inGraph = formatShare(matches.total / Math.max(1, layout.width[0] ?? 1));
  if (isCut && isInverted)
    return (
      <span class="muted">
        {formatFrames(matches.nodes.length)}, at least {inGraph}
      </span>
    );
  if (!isCut)
    return (
      <span class="muted">
        {formatFrames(matches.nodes.length)}, {inGraph}
      </span>
    );
  if (found.error !== null)
    return (
      <span class="muted" title={found.error.message}>
        {formatFrames(matches.nodes.length)}, {inGraph} in this graph
      </span>
    );
  if (found.data === null || found.isLoading || text !== props.text)
    return (
      <span class="muted">
        {formatFrames(matches.nodes.length)}, at least {inGraph}
      </span>
    );
  const folded = found.data.call_paths - matches.nodes.length;
  return (
    <>
      <span class="muted" role="status">
        {formatFrames(found.data.call_paths)}, {formatShare(found.data.matched / Math.max(1, found.data.total))}
      </span>
      {folded > 0 && (
        <FoldedMatches key={text} layout={layout} found={found.data} count={folded} onOpen={props.onOpen} />
      )}
    </>
  );
}

function FoldedMatches({
  layout,
  found,
  count,
  onOpen,
}: {
  readonly layout: FlameLayout;
  readonly found: Found;
  readonly count: number;
  readonly onOpen: (row: SearchRow) => void;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const host = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => {
    if (!isOpen) return [];
    const isInGraph = pathsIn(layout);
    return found.rows.filter((row) => !isInGraph(row.path));
  }, [layout, found, isOpen]);
  const shown = rows.slice(0, ROWS_SHOWN);
  return (
    <div
      class="anchor"
      ref={host}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        event.stopPropagation();
        setOpen(false);
        host.current?.querySelector("button")?.focus();
      }}
    >
      <button type="button" class="button ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {formatCount(count)} in “(other)”
      </button>
      {isOpen && (
        <div class="popover anchored matches" role="menu" aria-label="Matches folded into “(other)”">
          {shown.map((row) => (
            <button
              type="button"
              key={row.path}
              class="menu-item"
              role="menuitem"
              title={row.function}
              onClick={() => {
                setOpen(false);
                onOpen(row);
              }}
            >
              <span class="mono clip">{row.function}</span>
              <span class="number muted">
                {formatValue(row.total, found.unit)} · {formatShare(row.total / Math.max(1, found.total))}
              </span>
            </button>
          ))}
          {shown.length < count && (
            <div class="faint pad">
              Showing the {shown.length} largest of {formatCount(count)}
            </div>
          )}
        </div>
      )}
    </div>
  );
}

// The value once it has stayed the same for a while: no question for each letter that is typed.
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), ms);
    return () => window.clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
