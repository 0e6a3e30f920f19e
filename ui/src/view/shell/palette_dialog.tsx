// SPDX-License-Identifier: Apache-2.0
//
// Ctrl+K: quick search for pages, services, functions, trace ids and words in logs.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Services, Top } from "../../api/types";
import { withMatch } from "../../profile/query/selector";
import { EMPTY_STATE, scopeOf, scopeParameters, type UrlState } from "../../profile/query/url_state";
import { go, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { Modal } from "../parts/modal";

interface Entry {
  readonly kind: string;
  readonly label: string;
  readonly path: string;
  readonly state: UrlState;
}

const PAGES: readonly (readonly [string, string])[] = [
  ["Fleet", "/"],
  ["Explore", "/explore"],
  ["Compare", "/diff"],
  ["Traces", "/traces"],
  ["Metrics", "/charts"],
  ["Logs", "/logs"],
  ["Profiles", "/profiles"],
  ["Open a file", "/open"],
  ["Symbols", "/symbols"],
  ["Server", "/health"],
];
const SHOWN_MAX = 12;

function entriesFor(text: string, services: Services | null, top: Top | null): Entry[] {
  const scope = scopeOf(urlState.value);
  const has = (name: string): boolean => name.toLowerCase().includes(text.toLowerCase());
  const typed: Entry[] = [];
  const trimmed = text.trim();
  if (/^[0-9a-f]{32}$/i.test(trimmed))
    typed.push({ kind: "Trace", label: trimmed, path: `/trace/${trimmed.toLowerCase()}`, state: EMPTY_STATE });
  const names = services?.services.map((service) => service.service).filter((name) => name !== "" && has(name)) ?? [];
  const pages = PAGES.filter(([label]) => has(label)).map(([label, path]) => ({
    kind: "Page",
    label,
    path,
    state: scope,
  }));
  const found = [
    ...typed,
    ...pages.slice(0, trimmed === "" ? 6 : 3),
    ...names.slice(0, 6).flatMap((name) => [
      { kind: "Service", label: name, path: `/service/${encodeURIComponent(name)}`, state: { ...scope, q: "" } },
      { kind: "Explore", label: name, path: "/explore", state: { ...scope, q: withMatch("", "service.name", name) } },
    ]),
    ...(trimmed === ""
      ? []
      : (top?.rows ?? [])
          .filter((row) => has(row.function))
          .slice(0, 6)
          .map((row) => ({
            kind: "Function",
            label: row.function,
            path: `/fn/${encodeURIComponent(row.function)}`,
            state: scope,
          }))),
  ];
  if (trimmed.length > 2) {
    found.push({ kind: "Search profiles", label: trimmed, path: "/explore", state: { ...scope, s: trimmed } });
    found.push({ kind: "Search logs", label: trimmed, path: "/logs", state: { ...scope, extra: { text: trimmed } } });
    found.push({
      kind: "Search spans",
      label: trimmed,
      path: "/traces",
      state: { ...scope, extra: { name: `/${trimmed}/` } },
    });
  }
  return found.slice(0, SHOWN_MAX);
}

export function GoAnywhere({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const services = useApi<Services>("services").data;
  const top = useApi<Top>("top", [...scopeParameters(scopeOf(urlState.value)), ["limit", "1000"]]).data;
  const entries = entriesFor(text, services, top);
  useEffect(() => setAt(0), [text]);
  const choose = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    go(entry.path, entry.state);
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown") setAt((at + 1) % Math.max(1, entries.length));
    else if (event.key === "ArrowUp") setAt((at + entries.length - 1) % Math.max(1, entries.length));
    else if (event.key === "Enter") choose(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal class="palette" label="Quick search" onClose={onClose}>
      <input
        type="text"
        placeholder="Page, service, function, trace ID or text to search for"
        aria-label="Go to"
        role="combobox"
        aria-expanded="true"
        aria-controls="go-list"
        aria-activedescendant={`go-${at}`}
        value={text}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={key}
      />
      <div id="go-list" role="listbox">
        {entries.map((entry, i) => (
          <div
            key={entry.kind + entry.label}
            id={`go-${i}`}
            role="option"
            aria-selected={i === at}
            class={`menu-item ${i === at ? "chosen" : ""}`}
            onMouseMove={() => setAt(i)}
            onClick={() => choose(entry)}
          >
            <span class={entry.kind === "Function" ? "mono clip" : "clip"}>{entry.label}</span>
            <span class="faint">{entry.kind}</span>
          </div>
        ))}
        {entries.length === 0 && <div class="state">No matches.</div>}
      </div>
    </Modal>
  );
}
