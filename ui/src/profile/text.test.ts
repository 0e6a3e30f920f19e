// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { displayNames } from "./display_name";
import { decodeFlame } from "./flame_decoder";
import { encodeFlame } from "./flame_encoder.testing";
import { layOut } from "./flame_layout";
import { parseQuery, searchFlame } from "./search";
import { exactValue, formatSelector, parseSelector, withMatch } from "./selector";
import { describeRange, msToNanos, nanosToMs, parseTime } from "./time_range";
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

describe("times in links", () => {
  it("are relative, dates, or digits since the epoch", () => {
    const now = 1_794_784_000_000;
    expect(parseTime("now-1h", now)).toBe(now - 3_600_000);
    expect(parseTime("2026-05-04T10:00:00Z", now)).toBe(Date.UTC(2026, 4, 4, 10));
    expect(parseTime("1794784000", now)).toBe(now);
    expect(parseTime("1794784000000", now)).toBe(now);
    expect(parseTime("1794784000000000000", now)).toBe(now);
    expect(parseTime("yesterday", now)).toBeNull();
    expect(nanosToMs(msToNanos(now))).toBe(now);
    expect(describeRange("now-1h", "now", now, "utc")).toBe("Last hour");
    expect(describeRange("2026-05-04T10:00:00Z", "2026-05-05T11:30:00Z", now, "utc")).toBe(
      "2026-05-04 10:00:00 – 2026-05-05 11:30:00",
    );
  });
});

describe("selectors", () => {
  it("survive a round trip", () => {
    const text = '{service.name="a\\"b",host.name=~"web.*"}';
    expect(formatSelector(parseSelector(text) ?? [])).toBe(text);
    expect(parseSelector("{service")).toBeNull();
    expect(withMatch(text, "service.name", "cart")).toBe('{service.name="cart",host.name=~"web.*"}');
    expect(withMatch('{service.name="x"}', "service.name", "")).toBe("");
    expect(exactValue(text, "service.name")).toBe('a"b');
  });
});

describe("long names", () => {
  it("drop arguments, then templates, then namespaces", () => {
    expect(displayNames("shop::Map<int, std::string>::insert(int)")).toEqual([
      "shop::Map<int, std::string>::insert(int)",
      "shop::Map<int, std::string>::insert",
      "shop::Map::insert",
      "Map::insert",
      "insert",
    ]);
    expect(displayNames("crypto/tls.(*Conn).Write").at(-1)).toBe("Write");
    expect(displayNames("std::ostream::operator<<(int)")).toContain("operator<<");
    expect(displayNames("main")).toEqual(["main"]);
    expect(displayNames("pkg/glob..func1.115").at(-1)).toBe("func1.115");
  });
});

describe("search", () => {
  const layout = layOut(decodeFlame(encodeFlame({ lines: "0 - 0\n1 walk 1\n2 walk 2\n3 leaf 3\n1 Walker 4" })));
  const found = (text: string) => {
    const { query } = parseQuery(text);
    return query === null ? null : searchFlame(layout, query);
  };
  it("counts nested matches once", () => {
    expect(found("walk")?.total).toBe(10);
    expect(found("walk")?.nodes).toEqual([1, 2, 4]);
    expect(found("/^walk$/")?.total).toBe(6 + 4 * 0);
    expect(found("file:x")?.nodes).toEqual([]);
  });
  it("ignores folded nodes", () => {
    const cut = layOut(decodeFlame(encodeFlame({ lines: "0 - 0\n1 walk 1\n2 (other)*7 2\n1 other 4" })));
    const { query } = parseQuery("other");
    expect(query === null ? null : searchFlame(cut, query).nodes).toEqual([3]);
  });
  it("reports invalid patterns", () => {
    expect(parseQuery("/(/").error).not.toBe("");
    expect(parseQuery("").query).toBeNull();
  });
});
