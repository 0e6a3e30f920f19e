// SPDX-License-Identifier: Apache-2.0
//
// The current location. The URL of the page is the only state, and determines everything shown.
import { computed, signal } from "@preact/signals";
import { EMPTY_STATE, formatState, parseState, scopeOf, type UrlState } from "../profile/query/url_state";
import { type RangeMs, rangeOf } from "../profile/time/time_range";

export interface Place {
  readonly path: string; // relative to the base, starts with "/"
  readonly state: UrlState;
}

const basePath = (): string => new URL(document.baseURI).pathname.replace(/\/$/, "");

function here(): Place {
  const base = basePath();
  const path = window.location.pathname;
  return {
    path: path.startsWith(base) ? path.slice(base.length) || "/" : path,
    state: parseState(window.location.search),
  };
}

export const place = signal<Place>(here());
export const path = computed(() => place.value.path);
export const urlState = computed(() => place.value.state);

// The value of "now" in links. It changes only on refresh, so that all panels show the same range.
export const nowMs = signal(Date.now());
export const range = computed<RangeMs>(() => rangeOf(urlState.value.from, urlState.value.to, nowMs.value));

export function refresh(): void {
  nowMs.value = Date.now();
}

export function hrefOf(to: string, state: UrlState = EMPTY_STATE): string {
  const query = formatState(state);
  return `${basePath()}${to}${query === "" ? "" : `?${query}`}`;
}

// Keeps selector, type and time range.
export function hrefKeepingScope(to: string, patch: Partial<UrlState> = {}): string {
  return hrefOf(to, { ...scopeOf(urlState.value), ...patch });
}

export function go(to: string, state: UrlState, isReplacing = false): void {
  const href = hrefOf(to, state);
  if (isReplacing) window.history.replaceState(null, "", href);
  else if (href !== window.location.pathname + window.location.search) window.history.pushState(null, "", href);
  place.value = { path: to, state };
}

export function update(patch: Partial<UrlState>, isReplacing = false): void {
  go(place.peek().path, { ...urlState.peek(), ...patch }, isReplacing);
}

export function updateExtra(patch: Readonly<Record<string, string>>, isReplacing = false): void {
  update({ extra: { ...urlState.peek().extra, ...patch } }, isReplacing);
}

// Links are plain anchors; those to our own pages do not load a new document.
export function followLinks(): void {
  window.addEventListener("popstate", () => {
    place.value = here();
  });
  document.addEventListener("click", (event) => {
    const isPlain =
      event.button === 0 &&
      !event.defaultPrevented &&
      !event.metaKey &&
      !event.ctrlKey &&
      !event.shiftKey &&
      !event.altKey;
    const anchor = event.target instanceof Element ? event.target.closest("a") : null;
    if (!isPlain || anchor === null || anchor.target !== "" || anchor.hasAttribute("download")) return;
    const url = new URL(anchor.href, document.baseURI);
    const base = basePath();
    if (url.origin !== window.location.origin || !url.pathname.startsWith(base)) return;
    const to = url.pathname.slice(base.length) || "/";
    if (to.startsWith("/api/") || to.startsWith("/s/")) return;
    event.preventDefault();
    const isElsewhere = to !== path.peek();
    go(to, parseState(url.search));
    if (isElsewhere) document.getElementById("main")?.scrollTo(0, 0);
  });
}

// The URL with absolute times: everyone who opens it sees the same data.
export function frozenHref(): string {
  const { from, to } = range.value;
  const state: UrlState = { ...urlState.value, from: String(Math.round(from)), to: String(Math.round(to)) };
  const baseline = { ...state.baseline };
  if (baseline.from !== undefined || baseline.to !== undefined) {
    const side = rangeOf(baseline.from ?? state.from, baseline.to ?? state.to, nowMs.value);
    baseline.from = String(Math.round(side.from));
    baseline.to = String(Math.round(side.to));
  }
  const isTimeless = state.scratch !== "" || state.trace !== "";
  return hrefOf(
    path.value,
    isTimeless ? { ...state, from: urlState.value.from, to: urlState.value.to } : { ...state, baseline },
  );
}
