// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import type { Trace } from "../../api/types";
import { searchSpans, stepMatch } from "./span_search";

// Only the fields that a search reads.
const TRACE = {
  names: ["GET /cart", "SELECT items", "render"],
  services: ["shop", "database"],
  resources: [
    { attributes: { "service.name": "shop", "host.name": "web-1" } },
    { attributes: { "service.name": "database" } },
  ],
  spans: {
    span_id: ["a1", "b2", "c3", "d4"],
    name: [0, 1, 2, 1],
    service: [0, 1, 0, 1],
    resource: [0, 1, 0, 1],
    status_message: ["", "deadline exceeded", "", ""],
    attributes: [{ "http.response.status_code": 200 }, { "db.system": "postgresql" }, {}, { retry: true }],
  },
} as unknown as Trace;

const found = (text: string): readonly number[] => searchSpans(TRACE, text).matches?.spans ?? [];

describe("span search", () => {
  it("matches names, services, attributes and status messages", () => {
    expect(found("select")).toEqual([1, 3]);
    expect(found("database")).toEqual([1, 3]);
    expect(found("status_code=200")).toEqual([0]);
    expect(found("retry=true")).toEqual([3]);
    expect(found("host.name=web")).toEqual([0, 2]);
    expect(found("deadline")).toEqual([1]);
    expect(found("c3")).toEqual([2]);
    expect(found("/^(get|render)/")).toEqual([0, 2]);
    expect(found("nothing")).toEqual([]);
  });
  it("has no matches for an empty query, and reports invalid expressions", () => {
    expect(searchSpans(TRACE, "  ")).toEqual({ matches: null, error: "" });
    expect(searchSpans(TRACE, "/(/").matches).toBeNull();
    expect(searchSpans(TRACE, "/(/").error).not.toBe("");
    expect([...(searchSpans(TRACE, "render").matches?.isMatch ?? [])]).toEqual([0, 0, 1, 0]);
  });
  it("wraps around in both directions", () => {
    expect([stepMatch([1, 3], 0, 1), stepMatch([1, 3], 1, 1), stepMatch([1, 3], 3, 1)]).toEqual([1, 3, 1]);
    expect([stepMatch([1, 3], 3, -1), stepMatch([1, 3], 1, -1), stepMatch([], 1, -1)]).toEqual([1, 3, -1]);
  });
});
