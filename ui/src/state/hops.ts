// SPDX-License-Identifier: Apache-2.0
//
// Maps an API URL, as returned by /api/v1/links, to the page that shows its response.
import { EMPTY_STATE, parseState, scopeOf, type UrlState } from "../profile/query/url_state";

export interface Hop {
  readonly path: string;
  readonly state: UrlState;
}

export function hopOf(apiUrl: string): Hop | null {
  const match = /^\/api\/v1\/([\w-]+)(?:\/([^?]*))?(?:\?(.*))?$/.exec(apiUrl);
  if (match === null) return null;
  const [, endpoint, id, query] = match;
  const state = parseState(query ?? "");
  switch (endpoint) {
    case "flame":
      return { path: "/explore", state };
    case "diff":
      return { path: "/diff", state };
    case "top":
      return { path: "/explore", state: { ...state, view: "table" } };
    case "callers":
    case "lines":
      return { path: `/fn/${encodeURIComponent(state.extra["fn"] ?? "")}`, state: { ...scopeOf(state), extra: {} } };
    case "trace":
      return { path: `/trace/${id ?? ""}`, state: EMPTY_STATE };
    case "metrics":
      return { path: "/charts", state }; // /metrics is for scrapers
    case "traces":
    case "logs":
      return { path: `/${endpoint}`, state };
    default:
      return null;
  }
}
