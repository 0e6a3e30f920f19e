// SPDX-License-Identifier: Apache-2.0
//
// The complete state of a page, as the query of its URL: schema version 1.
//
// - Defaults are omitted and the order of keys is fixed, so equal views have equal URLs.
// - Unknown keys are kept: pages have their own (such as the severity of logs).
// - A URL of a newer version is parsed as far as possible, and `isNewer` lets the page report that.

export const SCHEMA_VERSION = 1;

// Keys with one value, in output order, with their defaults.
const DEFAULTS = {
  q: "",
  type: "",
  from: "now-1h",
  to: "now",
  scratch: "",
  view: "icicle",
  s: "",
  z: "",
  zn: "",
  sel: "",
  color: "type",
  by: "",
  norm: "share",
  w: "union",
  trace: "",
  span: "",
  spanscope: "self",
  spanname: "",
} as const;

// The baseline of a comparison; absent keys default to the other side.
const BASELINE_KEYS = ["q", "type", "from", "to", "scratch", "trace", "span", "spanscope", "spanname"] as const;

export type StateKey = keyof typeof DEFAULTS;
export type BaselineKey = (typeof BASELINE_KEYS)[number];

export interface UrlState extends Readonly<Record<StateKey, string>> {
  readonly f: readonly string[]; // filter steps, in order
  readonly baseline: Readonly<Partial<Record<BaselineKey, string>>>;
  readonly baselineF: readonly string[];
  readonly extra: Readonly<Record<string, string>>;
  readonly isNewer: boolean;
}

export const EMPTY_STATE: UrlState = { ...DEFAULTS, f: [], baseline: {}, baselineF: [], extra: {}, isNewer: false };

const isStateKey = (key: string): key is StateKey => Object.hasOwn(DEFAULTS, key);
const isBaselineKey = (key: string): key is BaselineKey => (BASELINE_KEYS as readonly string[]).includes(key);

// `search` may start with a question mark.
export function parseState(search: string): UrlState {
  const single: Record<string, string> = { ...DEFAULTS };
  const baseline: Partial<Record<BaselineKey, string>> = {};
  const extra: Record<string, string> = {};
  const f: string[] = [];
  const baselineF: string[] = [];
  let version = SCHEMA_VERSION;
  for (const [key, value] of new URLSearchParams(search)) {
    const ofBaseline = key.startsWith("b.") ? key.slice(2) : "";
    if (key === "v") version = Number(value);
    else if (key === "f") f.push(value);
    else if (key === "b.f") baselineF.push(value);
    else if (isStateKey(key)) single[key] = value;
    else if (isBaselineKey(ofBaseline)) baseline[ofBaseline] = value;
    else extra[key] = value;
  }
  return { ...(single as Record<StateKey, string>), f, baseline, baselineF, extra, isNewer: version > SCHEMA_VERSION };
}

// Without a question mark; empty if all values are defaults.
export function formatState(state: UrlState): string {
  const out = new URLSearchParams();
  for (const key of Object.keys(DEFAULTS) as StateKey[]) {
    if (state[key] !== DEFAULTS[key]) out.append(key, state[key]);
    if (key === "scratch") for (const step of state.f) out.append("f", step);
  }
  for (const key of BASELINE_KEYS) {
    const value = state.baseline[key];
    if (value !== undefined) out.append(`b.${key}`, value);
  }
  for (const step of state.baselineF) out.append("b.f", step);
  for (const key of Object.keys(state.extra).sort()) {
    const value = state.extra[key] ?? "";
    if (value !== "") out.append(key, value);
  }
  const text = out.toString();
  // Colons, commas and slashes need no escape in a query; without it links are more readable.
  return text === ""
    ? ""
    : `v=${SCHEMA_VERSION}&${text.replace(/%3A/g, ":").replace(/%2C/g, ",").replace(/%2F/g, "/")}`;
}

// The state that navigation to another page keeps: selector, type and time range.
export function scopeOf(state: UrlState): UrlState {
  const { q, type, from, to, scratch } = state;
  return { ...EMPTY_STATE, q, type, from, to, scratch };
}

// The API parameters for profiles of this state.
export function scopeParameters(state: UrlState): [string, string][] {
  const out: [string, string][] = [];
  const add = (key: string, value: string): void => {
    if (value !== "") out.push([key, value]);
  };
  add("q", state.q);
  add("type", state.type);
  if (state.scratch === "" || state.from !== DEFAULTS.from || state.to !== DEFAULTS.to) {
    if (state.trace === "" || state.from !== DEFAULTS.from || state.to !== DEFAULTS.to) {
      add("from", state.from);
      add("to", state.to);
    }
  }
  add("scratch", state.scratch);
  for (const step of state.f) add("f", step);
  add("trace", state.trace);
  add("span", state.span);
  if (state.span !== "" && state.spanscope !== DEFAULTS.spanscope) add("spanscope", state.spanscope);
  add("spanname", state.spanname);
  return out;
}

export function baselineParameters(state: UrlState): [string, string][] {
  const out: [string, string][] = [];
  for (const key of BASELINE_KEYS) {
    const value = state.baseline[key];
    if (value !== undefined) out.push([`b.${key}`, value]);
  }
  for (const step of state.baselineF) out.push(["b.f", step]);
  return out;
}
