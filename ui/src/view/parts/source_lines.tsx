// SPDX-License-Identifier: Apache-2.0
//
// The source of a function with the cost of each line. If the server has no source text, shows only line numbers and the
// reason.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Lines, SourceAnswer } from "../../api/types";
import { costsByFile, type FileCosts, type SourceRow, sourceRows } from "../../profile/cost/source_rows";
import { formatShare, formatValue } from "../../profile/cost/units";
import { urlState } from "../../state/location";
import { useApi } from "../../state/resource";

const FILES_MAX = 3;

interface Place {
  readonly service: string;
  readonly version: string;
}

export function SourceLines({
  lines,
  place,
  all,
}: {
  readonly lines: Lines;
  readonly place: Place;
  readonly all: number;
}): JSX.Element {
  const files = costsByFile(lines.rows);
  if (files.length === 0)
    return <div class="state muted">No line numbers for this function, or no cost in this time range.</div>;
  return (
    <>
      {files.slice(0, FILES_MAX).map((costs) => (
        <FileLines key={costs.file} costs={costs} place={place} unit={lines.unit} all={all} />
      ))}
      {files.length > FILES_MAX && (
        <p class="faint pad">
          {files.length - FILES_MAX} more files have a function with this name:{" "}
          {files
            .slice(FILES_MAX, 13)
            .map((costs) => costs.file)
            .join(", ")}
        </p>
      )}
    </>
  );
}

function FileLines({
  costs,
  place,
  unit,
  all,
}: {
  readonly costs: FileCosts;
  readonly place: Place;
  readonly unit: string;
  readonly all: number;
}): JSX.Element {
  const hottest = costs.rows.reduce(
    (line, row) =>
      row.total > (costs.rows.find((one) => (one.line ?? 0) === line)?.total ?? 0) ? (row.line ?? 0) : line,
    0,
  );
  const source = useApi<SourceAnswer>(
    costs.file === "" ? null : "source",
    [
      ["file", costs.file],
      ["first", String(costs.first)],
      ["last", String(costs.last)],
      ["start", String(costs.start)],
      ["build_id", costs.buildId],
      ["service", place.service],
      ["version", place.version],
      ["line", String(hottest)],
      ["scratch", urlState.value.scratch],
    ].filter(([, value]) => value !== "" && value !== "0") as [string, string][],
  );
  const rows = sourceRows(costs, source.data);
  return (
    <section class="source" aria-label={`Source of ${costs.file === "" ? "an unknown file" : costs.file}`}>
      <header>
        <span class="mono clip grow" title={costs.file}>
          {costs.file === "" ? "unknown file" : costs.file}
        </span>
        {source.data?.from !== undefined && source.data.from !== "folder" && <span class="faint">from debuginfod</span>}
        {source.data?.url !== undefined && (
          <a href={source.data.url} target="_blank" rel="noreferrer">
            Open in repository
          </a>
        )}
      </header>
      {source.data?.found === false && (
        <p class="faint pad">Source not available: {source.data.reason ?? "this server has no source lookup"}.</p>
      )}
      <Code rows={rows} unit={unit} all={all} hottest={hottest} hasText={source.data?.found === true} />
    </section>
  );
}

function Code(props: {
  readonly rows: readonly SourceRow[];
  readonly unit: string;
  readonly all: number;
  readonly hottest: number;
  readonly hasText: boolean;
}): JSX.Element {
  const hot = useRef<HTMLTableRowElement>(null);
  const [shownFor, setShownFor] = useState(0);
  // Scrolls once to the costliest line of a long function.
  useEffect(() => {
    if (!props.hasText || shownFor === props.hottest || hot.current === null) return;
    const box = hot.current.closest<HTMLElement>(".source-code");
    if (box !== null) box.scrollTop = hot.current.offsetTop - box.clientHeight / 2;
    setShownFor(props.hottest);
  }, [props.hasText, props.hottest, shownFor]);
  const peak = Math.max(1, ...props.rows.map((row) => row.total));
  return (
    <div class="source-code" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th class="number">Self</th>
            <th class="number">Total</th>
            <th class="number">Share</th>
            <th class="number">Line</th>
            <th class="code">Source</th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr
              key={row.line}
              ref={row.line === props.hottest ? hot : null}
              class={row.line === props.hottest ? "hot" : ""}
              style={row.total > 0 ? { "--heat": `${Math.round((row.total / peak) * 100)}%` } : {}}
            >
              <td class="number">{row.self > 0 ? formatValue(row.self, props.unit) : ""}</td>
              <td class="number">{row.total > 0 ? formatValue(row.total, props.unit) : ""}</td>
              <td class="number">{row.total > 0 ? formatShare(props.all === 0 ? 0 : row.total / props.all) : ""}</td>
              <td class="number faint">{row.line > 0 ? row.line : "?"}</td>
              <td class="code">{row.text ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
