// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { applyDraft, draftOf, inZone, linkTimeOf } from "./range_draft";

const NOW = Date.UTC(2026, 4, 4, 12);
const TEN = Date.UTC(2026, 4, 4, 10);

describe("range draft", () => {
  it("shows points in time as dates, and relative times as they are", () => {
    expect(draftOf("now-1h", "utc")).toBe("now-1h");
    expect(draftOf(String(TEN), "utc")).toBe("2026-05-04 10:00:00");
    expect(draftOf("2026-05-04T10:00:00Z", "utc")).toBe("2026-05-04 10:00:00");
    expect(draftOf("nonsense", "utc")).toBe("nonsense");
  });
  it("becomes a point in time in the link, in any zone", () => {
    expect(linkTimeOf("2026-05-04 10:00", "utc")).toBe(String(TEN));
    expect(linkTimeOf(draftOf(String(TEN), "local"), "local")).toBe(String(TEN));
    expect(linkTimeOf("now-90m", "utc")).toBe("now-90m");
    expect(linkTimeOf("2026-05-04T10:00:00Z", "utc")).toBe("2026-05-04T10:00:00Z");
    expect(linkTimeOf("yesterday", "utc")).toBeNull();
  });
  it("keeps the nanoseconds of unchanged times", () => {
    const link = { from: `${TEN}123456`, to: "now" };
    const draft = { from: draftOf(link.from, "utc"), to: "now-1m" };
    expect(applyDraft(draft, link, "utc", NOW).range).toEqual({ from: link.from, to: "now-1m" });
  });
  it("is rejected with a reason", () => {
    const link = { from: "now-1h", to: "now" };
    expect(applyDraft({ from: "then", to: "now" }, link, "utc", NOW)).toMatchObject({
      range: null,
      error: expect.stringContaining("From: use") as string,
    });
    expect(applyDraft({ from: "now", to: "now-1h" }, link, "utc", NOW).error).toBe("From must be before To");
  });
  it("keeps its meaning when the zone changes", () => {
    const utc = inZone({ from: draftOf(String(TEN), "local"), to: "now" }, "local", "utc");
    expect(utc).toEqual({ from: "2026-05-04 10:00:00", to: "now" });
  });
});
