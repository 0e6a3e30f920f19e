// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { change, observedSteps } from "./trend";

const line = (values: readonly number[]): { values: readonly number[] } => ({ values });
const repeat = (value: number, count: number): number[] => Array.from({ length: count }, () => value);

test("reports no change for a constant cost, even if its data starts late", () => {
  const values = [...repeat(0, 200), ...repeat(10, 40)];
  expect(change(values, observedSteps([line(values)]))).toBe(0);
});

test("compares the halves of the observed time", () => {
  const values = [...repeat(0, 100), ...repeat(10, 20), ...repeat(15, 20), ...repeat(0, 5)];
  expect(change(values, observedSteps([line(values)]))).toBeCloseTo(0.5, 5);
});

test("uses the observed time of all lines together", () => {
  const old = repeat(10, 40);
  const fresh = [...repeat(0, 30), ...repeat(10, 10)];
  const observed = observedSteps([line(old), line(fresh)]);
  expect(observed).toEqual({ first: 1, end: 39 });
  expect(change(old, observed)).toBe(0);
  expect(change(fresh, observed)).toBeNull();
});

test("returns null for too few steps", () => {
  expect(change([0, 1, 2, 3, 4, 0], observedSteps([line([0, 1, 2, 3, 4, 0])]))).toBeNull();
  expect(change([0, 0], observedSteps([line([0, 0])]))).toBeNull();
  expect(change([], observedSteps([]))).toBeNull();
});
