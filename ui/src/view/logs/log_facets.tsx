// SPDX-License-Identifier: Apache-2.0
//
// Facets next to the log. Clicking one filters by it, clicking again clears the filter.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { LogRecord, LogVolume } from "../../api/types";
import { formatCount } from "../../profile/cost/units";
import { exactValue, withMatch } from "../../profile/query/selector";
import {
  type Facet,
  facetCount,
  facetsOf,
  facetsOfAll,
  type LogFacets,
  regexOfPattern,
} from "../../profile/signals/log_facets";
import { update, updateExtra, urlState } from "../../state/location";
import type { Resource } from "../../state/resource";

export function LogFacetPanel({
  records,
  volume,
}: {
  readonly records: readonly LogRecord[];
  readonly volume: Resource<LogVolume>;
}): JSX.Element {
  const ofAll = useMemo(() => facetsOfAll(volume.data), [volume.data]);
  const ofLoaded = useMemo(() => facetsOf(records), [records.length, records[0], records.at(-1)]);
  const { q, extra } = urlState.value;
  const service = exactValue(q, "service.name");
  if (ofAll === null && volume.error === null)
    return (
      <aside class="panel inspector facets" aria-label="Facets">
        <div class="state faint">Loading …</div>
      </aside>
    );
  const facets = ofAll ?? ofLoaded;
  const number = (value: number): string => facetCount(formatCount(value), facets.isCapped);
  return (
    <aside class={`panel inspector facets ${volume.isLoading ? "is-loading" : ""}`} aria-label="Facets">
      <Facets
        title="Services"
        facets={facets.services}
        number={number}
        chosen={service}
        nameOf={(value) => (value === "" ? "(no service.name)" : value)}
        onChoose={(value) => update({ q: withMatch(q, "service.name", value === service ? "" : value) })}
      />
      <Facets
        title="Severity"
        facets={facets.severities}
        number={number}
        chosen={extra["severity"] ?? ""}
        nameOf={(value) => (value === "none" ? "no severity" : value)}
        isFixed={(value) => value === "none"}
        onChoose={(value) => updateExtra({ severity: value === extra["severity"] ? "" : value })}
      />
      <Facets
        title="Patterns"
        facets={facets.patterns}
        number={number}
        chosen={extra["text"] ?? ""}
        choiceOf={regexOfPattern}
        nameOf={(value) => value}
        onChoose={(value) => updateExtra({ text: value === extra["text"] ? "" : value })}
      />
      <section class="faint">Counts cover {covered(facets)} records. Severity filters are minimums.</section>
    </aside>
  );
}

function covered({ isCapped, isOfAll, count }: LogFacets): string {
  if (isCapped) return `the newest ${formatCount(count)}`;
  return isOfAll ? `all ${formatCount(count)} matching` : `the ${formatCount(count)} loaded`;
}

interface FacetsProps {
  readonly title: string;
  readonly facets: readonly Facet[];
  readonly chosen: string;
  readonly choiceOf?: (value: string) => string; // the value of the choice in the URL
  readonly nameOf: (value: string) => string;
  readonly number: (count: number) => string;
  readonly isFixed?: (value: string) => boolean; // cannot be filtered by
  readonly onChoose: (value: string) => void;
}

function Facets(props: FacetsProps): JSX.Element | null {
  if (props.facets.length === 0) return null;
  return (
    <section>
      <h2>{props.title}</h2>
      {props.facets.map((facet) => {
        const value = props.choiceOf?.(facet.value) ?? facet.value;
        return (
          <button
            type="button"
            key={facet.value}
            class="menu-item"
            aria-pressed={value === props.chosen}
            title={props.nameOf(facet.value)}
            disabled={props.isFixed?.(facet.value) === true}
            onClick={() => props.onChoose(value)}
          >
            <span class="clip">{props.nameOf(facet.value)}</span>{" "}
            <span class="number muted">{props.number(facet.count)}</span>
          </button>
        );
      })}
    </section>
  );
}
