// SPDX-License-Identifier: Apache-2.0
//
// The keyboard shortcuts of all pages, in one table that the help shows too. Pages bind actions to the keys.
import { useEffect } from "preact/hooks";

export interface Binding {
  readonly key: string; // KeyboardEvent.key; a capital means Shift
  readonly what: string;
  readonly where: "everywhere" | "profile" | "flame graph" | "trace";
}

export const BINDINGS: readonly Binding[] = [
  { key: "?", what: "Show keyboard shortcuts", where: "everywhere" },
  { key: "Ctrl K", what: "Quick search: pages, services, functions", where: "everywhere" },
  { key: "/", what: "Search", where: "everywhere" },
  { key: "R", what: "Refresh", where: "everywhere" },
  { key: "y", what: "Copy link (fixed time)", where: "everywhere" },
  { key: "T", what: "Switch theme", where: "everywhere" },
  { key: "g", what: "Go to the fleet", where: "everywhere" },
  { key: "1", what: "Icicle graph", where: "profile" },
  { key: "2", what: "Flame graph", where: "profile" },
  { key: "3", what: "Sandwich", where: "profile" },
  { key: "4", what: "Table", where: "profile" },
  { key: "5", what: "Tree", where: "profile" },
  { key: "6", what: "Heat map", where: "profile" },
  { key: "7", what: "Source lines of the selected function", where: "profile" },
  { key: "8", what: "Timeline", where: "profile" },
  { key: "9", what: "Table and icicle graph", where: "profile" },
  { key: "i", what: "Invert: leaf functions with their callers", where: "profile" },
  { key: "0", what: "Reset zoom", where: "profile" },
  { key: "n", what: "Next match", where: "profile" },
  { key: "N", what: "Previous match", where: "profile" },
  { key: "k", what: "Keep stacks with the selected function", where: "profile" },
  { key: "d", what: "Drop stacks with the selected function", where: "profile" },
  { key: "m", what: "Hide the selected function (merge into caller)", where: "profile" },
  { key: "f", what: "Focus on the selected function", where: "profile" },
  { key: "F", what: "Keep only this call path", where: "profile" },
  { key: "c", what: "Collapse callees of the selected function", where: "profile" },
  { key: "r", what: "Collapse recursion", where: "profile" },
  { key: "Y", what: "Copy call path of the selected frame", where: "profile" },
  { key: "u", what: "Undo the last filter", where: "profile" },
  { key: "b", what: "Compare with the previous period", where: "profile" },
  { key: "x", what: "Swap before and after in a comparison", where: "profile" },
  { key: "e", what: "Save as SVG", where: "profile" },
  { key: "Arrows", what: "Caller, hottest callee, siblings", where: "flame graph" },
  { key: "Enter", what: "Zoom to the selected frame", where: "flame graph" },
  { key: "Backspace", what: "Zoom out one level", where: "flame graph" },
  { key: ".", what: "Menu of the selected frame", where: "flame graph" },
  { key: "Ctrl wheel", what: "Zoom at the pointer; Shift wheel pans", where: "flame graph" },
  { key: "n", what: "Next matching span", where: "trace" },
  { key: "N", what: "Previous matching span", where: "trace" },
  { key: "z", what: "Zoom the time axis to the selected span", where: "trace" },
  { key: "0", what: "Show the whole trace", where: "trace" },
  { key: "Arrows", what: "Next and previous span, collapse and expand", where: "trace" },
];

type Actions = Readonly<Record<string, () => void>>;
const stack: Actions[] = []; // the innermost page is last

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));

export function listenToKeys(): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
    for (let i = stack.length - 1; i >= 0; --i) {
      const action = stack[i]?.[event.key];
      if (action === undefined) continue;
      event.preventDefault();
      action();
      return;
    }
  });
}

export function useKeys(actions: Actions): void {
  useEffect(() => {
    stack.push(actions);
    return () => {
      const at = stack.lastIndexOf(actions);
      if (at >= 0) stack.splice(at, 1);
    };
  });
}
