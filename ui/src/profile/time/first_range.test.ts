// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { firstRange } from "./first_range";

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;

test("uses the last hour if it has data for most of it", () => {
  expect(firstRange(NOW - 60 * MINUTE, NOW, NOW)).toBeNull();
  expect(firstRange(NOW - 40 * MINUTE, NOW, NOW)).toBeNull();
});

test("uses a few minutes if the server has just started", () => {
  expect(firstRange(NOW - 2 * MINUTE, NOW, NOW)).toEqual({ from: "now-5m", to: "now" });
  expect(firstRange(NOW - 9 * MINUTE, NOW, NOW)).toEqual({ from: "now-15m", to: "now" });
});

test("uses the last hour of old data", () => {
  expect(firstRange(null, NOW - 120 * MINUTE, NOW)).toEqual({
    from: String(NOW - 180 * MINUTE),
    to: String(NOW - 120 * MINUTE),
  });
});

test("keeps the last hour if other signals have data in it", () => {
  expect(firstRange(null, NOW, NOW)).toBeNull();
});
