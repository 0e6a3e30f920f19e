// SPDX-License-Identifier: Apache-2.0
// @vitest-environment node
import { beforeAll, expect, it, vi } from "vitest";
import { parseState } from "../profile/query/url_state";

const STEPS = [
  { title: "The spike", text: "", path: "/charts?from=1&to=2&metric=http.server.request.duration" },
  { title: "A slow request", text: "", path: "/trace/5b8e" },
  { title: "Its own program", text: "", path: "" },
];

let guide: typeof import("./guide");
const kept = new Map<string, string>();

beforeAll(async () => {
  vi.stubGlobal("window", {
    localStorage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
    },
  });
  guide = await import("./guide");
});

it("finds the step of a URL, regardless of key order", () => {
  expect(guide.stepAt(STEPS, "/charts", parseState("metric=http.server.request.duration&to=2&from=1&v=1"))).toBe(0);
  expect(guide.stepAt(STEPS, "/trace/5b8e", parseState(""))).toBe(1);
  expect(guide.stepAt(STEPS, "/charts", parseState("from=1&to=3"))).toBe(-1);
});

it("stores the progress of this guide only", () => {
  guide.setProgress({ guide: guide.guideName(STEPS), step: 2, isFolded: true, isAway: true });
  expect(guide.progressOf(STEPS)).toEqual({ guide: STEPS[0]?.path, step: 2, isFolded: true, isAway: true });
  expect(guide.progressOf([{ title: "Another", text: "", path: "/charts?from=9" }])).toEqual({
    guide: "/charts?from=9",
    step: 0,
    isFolded: false,
    isAway: false,
  });
  expect(guide.parseProgress([...kept.values()][0] ?? "")).toEqual(guide.progressOf(STEPS));
});

it.each([[null], ["not JSON"], ['{"step":-3}'], ['{"step":"2","isFolded":"yes","isAway":1}']])(
  "starts at the first step for %s",
  (text) => {
    expect(guide.parseProgress(text)).toMatchObject({ step: 0, isFolded: false, isAway: false });
  },
);
