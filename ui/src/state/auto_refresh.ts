// SPDX-License-Identifier: Apache-2.0
//
// Refreshes at an interval, except while the tab is hidden, while something is selected or zoomed, and while requests
// are pending.
import { computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { intervalOf, nextRefresh } from "../profile/time/auto_refresh";
import { nowMs, path, refresh, urlState } from "./location";
import { pendingCount } from "./resource";
import { recall, remember } from "./storage";

const KEY = "flarestack.refresh";

export const refreshIntervalS = signal(intervalOf(recall(KEY)));

export function setRefreshInterval(seconds: number): void {
  refreshIntervalS.value = seconds;
  remember(KEY, String(seconds));
}

// Reasons to wait: those of pages, and selected text.
const holds = signal<readonly string[]>([]);
const isTextMarked = signal(false);
document.addEventListener("selectionchange", () => (isTextMarked.value = document.getSelection()?.type === "Range"));
const isHidden = signal(document.visibilityState === "hidden");
document.addEventListener("visibilitychange", () => (isHidden.value = document.visibilityState === "hidden"));

export const heldBecause = computed(() => holds.value[0] ?? (isTextMarked.value ? "text is selected" : ""));

// Whether the page shows a range that ends now. A trace or an uploaded file does not change.
export const isRelative = computed(
  () =>
    urlState.value.to === "now" &&
    urlState.value.scratch === "" &&
    urlState.value.trace === "" &&
    !path.value.startsWith("/trace/"),
);

// The last refresh was automatic: panels are not dimmed while they load.
export const isQuiet = signal(false);

export function refreshNow(): void {
  isQuiet.value = false;
  refresh();
}

// `reason` completes "paused while ..."; "" resumes.
export function useRefreshHold(reason: string): void {
  useEffect(() => {
    if (reason === "") return;
    holds.value = [...holds.peek(), reason];
    return () => {
      const left = [...holds.peek()];
      left.splice(left.indexOf(reason), 1);
      holds.value = left;
    };
  }, [reason]);
}

export function useAutoRefresh(): void {
  const state = {
    intervalS: refreshIntervalS.value,
    isRelative: isRelative.value,
    isHidden: isHidden.value,
    isLoading: pendingCount.value > 0,
    heldBecause: heldBecause.value,
    lastMs: nowMs.value,
  };
  useEffect(() => {
    const wait = nextRefresh({ ...state, nowMs: Date.now() });
    if (wait === null) return;
    const timer = window.setTimeout(() => {
      isQuiet.value = true;
      refresh();
    }, wait);
    return () => window.clearTimeout(timer);
  }, Object.values(state));
}
