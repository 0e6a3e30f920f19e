// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { formatState } from "../profile/query/url_state";
import { hopOf } from "./hops";

const href = (url: string): string => {
  const hop = hopOf(url);
  return hop === null ? "" : `${hop.path}?${formatState(hop.state)}`;
};

describe("hops from signal to signal", () => {
  it("go to the page that shows the response", () => {
    expect(href("/api/v1/flame?type=cpu%3Ananoseconds&trace=ab&span=cd&spanscope=thread")).toBe(
      "/explore?v=1&type=cpu:nanoseconds&trace=ab&span=cd&spanscope=thread",
    );
    expect(href("/api/v1/metrics?q=x")).toBe("/charts?v=1&q=x");
    expect(href("/api/v1/trace/5b8e")).toBe("/trace/5b8e?");
    expect(href("/api/v1/logs?trace=ab&span=cd")).toBe("/logs?v=1&trace=ab&span=cd");
    expect(href("/api/v1/callers?fn=a%3A%3Ab&from=1&to=2")).toBe("/fn/a%3A%3Ab?v=1&from=1&to=2");
    expect(href("/api/v1/diff?trace=ab&b.spanname=x&b.from=1")).toBe("/diff?v=1&trace=ab&b.from=1&b.spanname=x");
    expect(hopOf("https://elsewhere.example/api/v1/flame")).toBeNull();
    expect(hopOf("/api/v1/unheard-of")).toBeNull();
  });
});
