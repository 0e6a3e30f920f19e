// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { defaultTypeOf, isSameType, typeLabel } from "./profile_type";

it("the default is CPU time, or else the first type by name", () => {
  expect(defaultTypeOf([])).toBe("cpu");
  expect(defaultTypeOf(["alloc_space:bytes", "cpu:nanoseconds"])).toBe("cpu");
  expect(defaultTypeOf(["wall:nanoseconds", "alloc_space:bytes"])).toBe("alloc_space:bytes");
});

it("cpu as the default stands for CPU time", () => {
  expect(isSameType("cpu:nanoseconds", "cpu")).toBe(true);
  expect(isSameType("wall:nanoseconds", "cpu")).toBe(false);
});

it("unknown types have their name and unit as label", () => {
  expect(typeLabel("cpu:nanoseconds")).toBe("CPU time");
  expect(typeLabel("requests:count")).toBe("requests (count)");
  expect(typeLabel("requests")).toBe("requests");
});
