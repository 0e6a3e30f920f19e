// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { change, observedSteps } from "./trend";

const line = (values: readonly number[]): { values: readonly number[] } => ({ values });
const repeat = (value: number, count: number): number[] => Array.from({ length: count }, () => value);

test("a service that costs the same all the time has not changed, however late its data begins", () => {
  const values = [...repeat(0, 200), ...repeat(10, 40)];
  expect(change(values, observedSteps([line(values)]))).toBe(0);
});

test("the halves of the observed time are compared", () => {
  const values = [...repeat(0, 100), ...repeat(10, 20), ...repeat(15, 20), ...repeat(0, 5)];
  expect(change(values, observedSteps([line(values)]))).toBeCloseTo(0.5, 5);
});

test("what is observed is so for all lines together", () => {
  const old = repeat(10, 40);
  const fresh = [...repeat(0, 30), ...repeat(10, 10)];
  const observed = observedSteps([line(old), line(fresh)]);
  expect(observed).toEqual({ first: 1, end: 39 });
  expect(change(old, observed)).toBe(0);
  expect(change(fresh, observed)).toBeNull();
});

test("a few steps have no trend", () => {
  expect(change([0, 1, 2, 3, 4, 0], observedSteps([line([0, 1, 2, 3, 4, 0])]))).toBeNull();
  expect(change([0, 0], observedSteps([line([0, 0])]))).toBeNull();
  expect(change([], observedSteps([]))).toBeNull();
});
