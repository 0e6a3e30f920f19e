// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { firstRange } from "./first_range";

const NOW = 1_700_000_000_000;
const MINUTE = 60_000;

test("the last hour is right where it has data for most of it", () => {
  expect(firstRange(NOW - 60 * MINUTE, NOW, NOW)).toBeNull();
  expect(firstRange(NOW - 40 * MINUTE, NOW, NOW)).toBeNull();
});

test("a server that has just started shows its minutes", () => {
  expect(firstRange(NOW - 2 * MINUTE, NOW, NOW)).toEqual({ from: "now-5m", to: "now" });
  expect(firstRange(NOW - 9 * MINUTE, NOW, NOW)).toEqual({ from: "now-15m", to: "now" });
});

test("where the newest data is old, its last hour is shown", () => {
  expect(firstRange(null, NOW - 120 * MINUTE, NOW)).toEqual({
    from: String(NOW - 180 * MINUTE),
    to: String(NOW - 120 * MINUTE),
  });
});

test("where other signals have data in the last hour, it stays", () => {
  expect(firstRange(null, NOW, NOW)).toBeNull();
});
