// SPDX-License-Identifier: Apache-2.0
//
// The filter steps that the UI offers. A step is "verb:argument" or just a verb.

export interface FilterVerb {
  readonly verb: string; // as in the URL
  readonly label: string;
  readonly effect: string;
  readonly elsewhere: string; // its name in other tools
  readonly placeholder: string; // of the argument; empty if it has none
}

const REGEX = "regular expression";

export const FILTER_VERBS: readonly FilterVerb[] = [
  { verb: "only", label: "Keep", effect: "keep stacks matching", elsewhere: "pprof: focus", placeholder: REGEX },
  { verb: "drop", label: "Drop", effect: "drop stacks matching", elsewhere: "pprof: ignore", placeholder: REGEX },
  {
    verb: "hide",
    label: "Hide",
    effect: "hide matching frames (merge into caller)",
    elsewhere: "pprof: hide",
    placeholder: REGEX,
  },
  {
    verb: "from",
    label: "Focus",
    effect: "cut frames above the outermost match",
    elsewhere: "pprof: show_from",
    placeholder: REGEX,
  },
  {
    verb: "until",
    label: "Collapse",
    effect: "collapse callees of the match",
    elsewhere: "pprof: prune_from",
    placeholder: REGEX,
  },
  {
    verb: "type",
    label: "Keep type",
    effect: "keep only frames of matching types (merge others into caller)",
    elsewhere: "pprof: show",
    placeholder: "cpython, kernel, ...",
  },
  {
    verb: "hidetype",
    label: "Hide type",
    effect: "hide frames of matching types (merge into caller)",
    elsewhere: "pprof: hide",
    placeholder: "cpython, kernel, ...",
  },
  {
    verb: "module",
    label: "Module",
    effect: "collapse consecutive frames of a module",
    elsewhere: "collapse resource",
    placeholder: "module name",
  },
  {
    verb: "recursion",
    label: "Recursion",
    effect: "collapse recursion",
    elsewhere: "collapse recursion",
    placeholder: "",
  },
];

export function verbOf(step: string): FilterVerb | undefined {
  const name = step.split(":", 1)[0];
  return FILTER_VERBS.find(({ verb }) => verb === name);
}

// Shows frames of language runtimes, which the server hides by default.
export const INTERNALS = "internals";

export const hasInternals = (steps: readonly string[]): boolean => steps.includes(INTERNALS);

// First, so that it does not separate steps whose order matters.
export const withInternals = (steps: readonly string[], isShown: boolean): string[] => [
  ...(isShown ? [INTERNALS] : []),
  ...steps.filter((step) => step !== INTERNALS),
];

// The steps that a link to another page about the same profiles keeps.
export const internalsOf = (steps: readonly string[]): string[] => (hasInternals(steps) ? [INTERNALS] : []);
