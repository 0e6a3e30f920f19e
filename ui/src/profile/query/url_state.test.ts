// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  baselineParameters,
  EMPTY_STATE,
  formatState,
  parseState,
  scopeOf,
  scopeParameters,
  type UrlState,
} from "./url_state";

const FULL: UrlState = {
  ...EMPTY_STATE,
  q: '{service.name="checkout",service.version=~"1\\.4.*"}',
  type: "samples:count",
  from: "2026-05-04T10:00:00Z",
  to: "now",
  view: "sandwich",
  f: ["only:handleCheckout", "hide:^std::", "recursion"],
  s: "/malloc|free/",
  z: "Qm3xk0aZP1c",
  zn: "parse_json & co = ü",
  sel: "operator<<",
  color: "module",
  baseline: { from: "now-25h", to: "now-24h", q: "" },
  baselineF: ["only:x"],
  norm: "rate",
  extra: { severity: "warn" },
};

describe("URL of a view", () => {
  it("survives a round trip", () => {
    expect(parseState(formatState(FULL))).toEqual(FULL);
    expect(parseState(`?${formatState(FULL)}`)).toEqual(FULL);
  });

  it("is empty if all values are defaults", () => {
    expect(formatState(EMPTY_STATE)).toBe("");
    expect(parseState("")).toEqual(EMPTY_STATE);
  });

  it("is the same for equal views, regardless of key order", () => {
    const pairs = [...new URLSearchParams(formatState({ ...FULL, f: [], baselineF: [] }))];
    const turned = new URLSearchParams(pairs.reverse()).toString();
    expect(formatState(parseState(turned))).toBe(formatState({ ...FULL, f: [], baselineF: [] }));
  });

  it("keeps the order of filters, and unknown keys", () => {
    const state = parseState("f=b&f=a&future=1&b.f=y&b.f=x");
    expect(state.f).toEqual(["b", "a"]);
    expect(state.baselineF).toEqual(["y", "x"]);
    expect(formatState(state)).toContain("future=1");
  });

  it("reports a newer version", () => {
    expect(parseState("v=2&q={}").isNewer).toBe(true);
    expect(parseState("v=1").isNewer).toBe(false);
  });

  it("keeps selector and time range for another page", () => {
    expect(formatState(scopeOf(FULL))).not.toMatch(/view|sel|z=|b\./);
    expect(scopeOf(FULL).q).toBe(FULL.q);
  });

  it("converts to API parameters", () => {
    expect(scopeParameters(EMPTY_STATE)).toEqual([
      ["from", "now-1h"],
      ["to", "now"],
    ]);
    expect(scopeParameters({ ...EMPTY_STATE, scratch: "ab" })).toEqual([["scratch", "ab"]]);
    expect(scopeParameters({ ...EMPTY_STATE, trace: "ab", span: "cd", spanscope: "thread" })).toEqual([
      ["trace", "ab"],
      ["span", "cd"],
      ["spanscope", "thread"],
    ]);
    expect(baselineParameters(FULL)).toEqual([
      ["b.q", ""],
      ["b.from", "now-25h"],
      ["b.to", "now-24h"],
      ["b.f", "only:x"],
    ]);
  });
});

interface SharedLink {
  readonly what: string;
  readonly values: Readonly<Record<string, string>>;
  readonly f?: readonly string[];
  readonly "b.f"?: readonly string[];
  readonly query: string;
}

// The command line writes the same links (src/cli/input/page_link_test.cc).
const SHARED = JSON.parse(
  readFileSync(new URL("../../../../testdata/page_links.json", import.meta.url), "utf8"),
) as SharedLink[];

it.each(SHARED)(
  "the URL of $what equals that of the command line",
  ({ values, f = [], "b.f": baselineF = [], query }) => {
    const pairs = [
      ...Object.entries(values),
      ...f.map((step) => ["f", step]),
      ...baselineF.map((step) => ["b.f", step]),
    ];
    const state = parseState(new URLSearchParams(pairs as [string, string][]).toString());
    expect(formatState(state)).toBe(query);
    expect(formatState(parseState(query))).toBe(query);
  },
);
