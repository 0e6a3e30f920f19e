// SPDX-License-Identifier: Apache-2.0
//
// The filter pipeline as chips: each is one step, in the order in which the server applies them.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { update, urlState } from "../state/location";

// Verb as in the address, its name, what it does, and what other tools call it.
const VERBS: readonly (readonly [string, string, string, string])[] = [
  ["only", "Keep", "keep stacks matching", "pprof: focus"],
  ["drop", "Drop", "drop stacks matching", "pprof: ignore"],
  ["hide", "Hide", "hide matching frames (merge into caller)", "pprof: hide"],
  ["from", "Focus", "cut frames above the outermost match", "pprof: show_from"],
  ["until", "Collapse", "collapse callees of the match", "pprof: prune_from"],
  ["module", "Module", "collapse consecutive frames of a module", "collapse resource"],
  ["recursion", "Recursion", "collapse recursion", "collapse recursion"],
];

export const regexOf = (name: string): string => `^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;

export function addFilter(step: string): void {
  const { f } = urlState.peek();
  if (f.at(-1) !== step) update({ f: [...f, step], z: "", zn: "" });
}

export function FilterChips({
  lead,
  children,
}: {
  readonly lead?: ComponentChildren;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { f, trace, span, spanscope, spanname } = urlState.value;
  const [verb, setVerb] = useState("only");
  const [pattern, setPattern] = useState("");
  const meaning = VERBS.find(([name]) => name === verb)?.[2];
  const set = (steps: readonly string[]): void => update({ f: steps });
  const move = (i: number, way: number): void => {
    const steps = [...f];
    const [step] = steps.splice(i, 1);
    if (step !== undefined) steps.splice(i + way, 0, step);
    set(steps);
  };
  return (
    <div class="toolbar" role="group" aria-label="Filters">
      {lead}
      {trace !== "" && (
        <span class="chip">
          {span === "" ? `trace ${trace.slice(0, 8)}` : `span ${span.slice(0, 8)}`}
          {span !== "" && (
            <select
              aria-label="Samples of the span"
              value={spanscope}
              onChange={(event) => update({ spanscope: event.currentTarget.value })}
            >
              <option value="self">Samples tagged with this span</option>
              <option value="children">Including child spans</option>
              <option value="thread">Whole thread during span (inferred)</option>
            </select>
          )}
          <button
            type="button"
            aria-label="Remove span filter"
            onClick={() => update({ trace: "", span: "", spanscope: "self" })}
          >
            ×
          </button>
        </span>
      )}
      {spanname !== "" && (
        <span class="chip">
          spans named {spanname}{" "}
          <button type="button" aria-label="Remove span name filter" onClick={() => update({ spanname: "" })}>
            ×
          </button>
        </span>
      )}
      {f.map((step, i) => (
        <span class="chip" key={`${i}${step}`} title={VERBS.find(([name]) => step.startsWith(name))?.[2]}>
          <code>{step}</code>
          {i > 0 && (
            <button type="button" aria-label={`Apply ${step} earlier`} onClick={() => move(i, -1)}>
              ‹
            </button>
          )}
          <button type="button" aria-label={`Remove ${step}`} onClick={() => set(f.filter((_, at) => at !== i))}>
            ×
          </button>
        </span>
      ))}
      <form
        class="row filter-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (verb === "recursion") addFilter("recursion");
          else if (pattern !== "") addFilter(`${verb}:${pattern}`);
          setPattern("");
        }}
      >
        <select
          aria-label="Filter"
          title={meaning}
          value={verb}
          onChange={(event) => setVerb(event.currentTarget.value)}
        >
          {VERBS.map(([name, label, what, others]) => (
            <option key={name} value={name} title={`${what} (${others})`}>
              {label}
            </option>
          ))}
        </select>
        {verb !== "recursion" && (
          <input
            type="text"
            aria-label="Pattern"
            placeholder="regular expression"
            spellcheck={false}
            value={pattern}
            onInput={(event) => setPattern(event.currentTarget.value)}
          />
        )}
        <button type="submit" class="button">
          Filter
        </button>
        {f.length === 0 && trace === "" && lead === undefined && <span class="faint clip">{meaning}</span>}
      </form>
      <div class="grow" />
      {children}
    </div>
  );
}
