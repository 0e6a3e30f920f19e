// SPDX-License-Identifier: Apache-2.0
//
// The filter pipeline as chips: one per step, in the order in which the server applies them.
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { FILTER_VERBS, hasInternals, INTERNALS, verbOf, withInternals } from "../../profile/query/filter_steps";
import { update, urlState } from "../../state/location";

export const regexOf = (name: string): string => `^${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;

export function addFilter(step: string): void {
  const { f } = urlState.peek();
  if (f.at(-1) !== step) update({ f: [...f, step], z: "", zn: "" });
}

// Applies to both sides of a comparison, unless the baseline has its own steps.
function showInternals(isShown: boolean): void {
  const { f, baselineF } = urlState.peek();
  const ofBaseline = baselineF.length === 0 ? [] : withInternals(baselineF, isShown);
  update({ f: withInternals(f, isShown), baselineF: ofBaseline, z: "", zn: "" });
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
  const chosen = verbOf(verb);
  const meaning = chosen?.effect;
  const takesPattern = chosen?.placeholder !== "";
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
      {f.map(
        (step, i) =>
          step !== INTERNALS && (
            <span class="chip" key={`${i}${step}`} title={verbOf(step)?.effect}>
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
          ),
      )}
      <form
        class="row filter-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!takesPattern) addFilter(verb);
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
          {FILTER_VERBS.map((row) => (
            <option key={row.verb} value={row.verb} title={`${row.effect} (${row.elsewhere})`}>
              {row.label}
            </option>
          ))}
        </select>
        {takesPattern && (
          <input
            type="text"
            aria-label="Pattern"
            placeholder={chosen?.placeholder}
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
      <button
        type="button"
        class="button"
        aria-pressed={hasInternals(f)}
        title="Show frames of interpreters themselves, such as eval loops. By default they are merged into their callers."
        onClick={() => showInternals(!hasInternals(f))}
      >
        Interpreter frames
      </button>
      {children}
    </div>
  );
}
