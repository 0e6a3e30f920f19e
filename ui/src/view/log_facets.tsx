// SPDX-License-Identifier: Apache-2.0
//
// Beside the log: what its records have in common. A click asks the server for those alone, another for all again.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { LogRecord } from "../api/types";
import { facetsOf, regexOfSentence, type Facet } from "../profile/log_facets";
import { exactValue, withMatch } from "../profile/selector";
import { formatCount } from "../profile/units";
import { update, updateExtra, urlState } from "../state/location";

export function LogFacetPanel({ records }: { readonly records: readonly LogRecord[] }): JSX.Element {
  const facets = useMemo(() => facetsOf(records), [records.length, records[0], records.at(-1)]);
  const { q, extra } = urlState.value;
  const service = exactValue(q, "service.name");
  return (
    <aside class="panel inspector facets" aria-label="What the records have in common">
      <Facets title="Services" facets={facets.services} chosen={service} nameOf={(value) => (value === "" ? "(no service.name)" : value)}
        onChoose={(value) => update({ q: withMatch(q, "service.name", value === service ? "" : value) })} />
      <Facets title="Severity" facets={facets.severities} chosen={extra["severity"] ?? ""} nameOf={(value) => value}
        onChoose={(value) => updateExtra({ severity: value === extra["severity"] ? "" : value })} />
      <Facets title="Sentences" facets={facets.sentences} chosen={extra["text"] ?? ""} choiceOf={regexOfSentence} nameOf={(value) => value}
        onChoose={(value) => updateExtra({ text: value === extra["text"] ? "" : value })} />
      <section class="faint">Of the {formatCount(records.length)} records that are loaded. A severity means it and worse.</section>
    </aside>
  );
}

interface FacetsProps {
  readonly title: string;
  readonly facets: readonly Facet[];
  readonly chosen: string;
  readonly choiceOf?: (value: string) => string; // what choosing it puts into the address
  readonly nameOf: (value: string) => string;
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
          <button key={facet.value} class="menu-item" aria-pressed={value === props.chosen} title={props.nameOf(facet.value)} onClick={() => props.onChoose(value)}>
            <span class="clip">{props.nameOf(facet.value)}</span> <span class="number muted">{formatCount(facet.count)}</span>
          </button>
        );
      })}
    </section>
  );
}
