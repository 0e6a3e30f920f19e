// SPDX-License-Identifier: Apache-2.0
//
// Search results. The graph has the largest call paths of a profile and folds the rest into "(other)"; the server
// searches all of them, and folded ones can be opened.
import type { JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SearchResult as Found, SearchRow } from "../../api/types";
import { formatCount, formatFrames, formatShare, formatValue } from "../../profile/cost/units";
import { type FlameLayout, pathsIn } from "../../profile/flame/flame_layout";
import type { Matches } from "../../profile/flame/search";
import { useApi } from "../../state/resource";
import { MenuButton, type MenuEntry } from "../parts/menu";

const TYPING_MS = 250;
const ROWS_SHOWN = 100;

interface SearchResultProps {
  readonly layout: FlameLayout;
  readonly matches: Matches;
  readonly text: string;
  readonly scope: readonly (readonly [string, string])[]; // with `root`, if the graph has one
  readonly onOpen: (row: SearchRow) => void;
}

export function SearchResult(props: SearchResultProps): JSX.Element {
  const { layout, matches } = props;
  const isCut = layout.tree.folded.size > 0;
  const text = useSettled(props.text, TYPING_MS);
  const isInverted = layout.isInverted === true; // the server searches call paths from the root
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

interface FoldedProps {
  readonly layout: FlameLayout;
  readonly found: Found;
  readonly count: number;
  readonly onOpen: (row: SearchRow) => void;
}

function FoldedMatches({ layout, found, count, onOpen }: FoldedProps): JSX.Element {
  const latest = useRef(onOpen);
  latest.current = onOpen;
  const entries = useMemo(() => {
    let made: readonly MenuEntry[] | null = null; // computed when the menu is first opened, because it scans all call paths
    return (): readonly MenuEntry[] => {
      made ??= foldedEntries(layout, found, (row) => latest.current(row));
      return made;
    };
  }, [layout, found]);
  return (
    <MenuButton
      button={`${formatCount(count)} in “(other)”`}
      buttonClass="ghost"
      label="Matches folded into “(other)”"
      class="matches"
      entries={entries}
      note={(shown) =>
        shown < count && (
          <div class="faint pad">
            Showing the {shown} largest of {formatCount(count)}
          </div>
        )
      }
    />
  );
}

function foldedEntries(layout: FlameLayout, found: Found, onOpen: (row: SearchRow) => void): readonly MenuEntry[] {
  const isInGraph = pathsIn(layout);
  const rows = found.rows.filter((row) => !isInGraph(row.path));
  return rows.slice(0, ROWS_SHOWN).map((row) => ({
    id: row.path,
    label: row.function,
    title: row.function,
    content: (
      <>
        <span class="mono clip">{row.function}</span>
        <span class="number muted">
          {formatValue(row.total, found.unit)} · {formatShare(row.total / Math.max(1, found.total))}
        </span>
      </>
    ),
    run: () => onOpen(row),
  }));
}

// Debounces a value, so that typing does not send a request per letter.
function useSettled(value: string, ms: number): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(value), ms);
    return () => window.clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
