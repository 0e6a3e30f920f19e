// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { cores, formatCores, formatCount, formatCounted, formatShare, formatValue, unitText } from "./units";

describe("formatted values", () => {
  it("have a unit and three digits", () => {
    expect(formatValue(353480000000, "nanoseconds")).toBe("5.89 min");
    expect(formatValue(999, "nanoseconds")).toBe("999 ns");
    expect(formatValue(1536, "bytes")).toBe("1.5 KiB");
    expect(formatValue(12.5, "widgets")).toBe("12.5 widgets");
    expect(formatValue(12345, "{request}")).toBe("12.3k request");
    expect(formatValue(2048, "By/s")).toBe("2 KiB/s");
    expect(formatValue(0.5, "{packet}/s")).toBe("0.5 packet/s");
    expect([formatValue(7, "1"), formatValue(7, "{}"), unitText("{request}")]).toEqual(["7", "7", "request"]);
    expect(formatCount(1234)).toBe("1,234");
    expect(formatCounted(1, "span")).toBe("1 span");
    expect(formatCounted(1234, "span")).toBe("1,234 spans");
    expect(formatCount(12345)).toBe("12.3k");
    expect(formatShare(0.123)).toBe("12.3 %");
    expect(formatShare(0.00001)).toBe("< 0.01 %");
    expect([formatCores(0.0174), formatCores(0.1), formatCores(3.25), formatCores(0)]).toEqual([
      "0.017",
      "0.1",
      "3.25",
      "0",
    ]);
    expect(cores(3600e9, "nanoseconds", 1800e9)).toBe(2);
    expect(cores(5, "bytes", 1800e9)).toBeNull();
  });
});
