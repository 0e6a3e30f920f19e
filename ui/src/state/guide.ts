// SPDX-License-Identifier: Apache-2.0
//
// The progress in the guide of a demo, and whether the guide is folded or hidden. Stored in the browser for this demo
// only: another demo starts at its first step.
import { signal } from "@preact/signals";
import type { GuideStep } from "../api/types";
import { formatState, parseState, type UrlState } from "../profile/query/url_state";

export interface Progress {
  readonly guide: string; // identifies the demo
  readonly step: number;
  readonly isFolded: boolean; // to its title and buttons
  readonly isAway: boolean;
}

const KEY = "flarestack.guide";
const NONE: Progress = { guide: "", step: 0, isFolded: false, isAway: false };

// URLs of steps contain times and ids of one demo, so they identify it.
export const guideName = (steps: readonly GuideStep[]): string => steps[0]?.path ?? "";

export function parseProgress(text: string | null): Progress {
  try {
    const { guide, step, isFolded, isAway } = JSON.parse(text ?? "{}") as Partial<Progress>;
    return {
      guide: typeof guide === "string" ? guide : "",
      step: typeof step === "number" && step >= 0 ? Math.floor(step) : 0,
      isFolded: isFolded === true,
      isAway: isAway === true,
    };
  } catch {
    return NONE;
  }
}

function stored(): Progress {
  try {
    return parseProgress(window.localStorage.getItem(KEY));
  } catch {
    return NONE; // storage is disabled: keep the state only while the page is open
  }
}

const progress = signal<Progress>(stored());

export function progressOf(steps: readonly GuideStep[]): Progress {
  const guide = guideName(steps);
  return progress.value.guide === guide ? progress.value : { ...NONE, guide };
}

export function setProgress(to: Progress): void {
  progress.value = to;
  try {
    window.localStorage.setItem(KEY, JSON.stringify(to));
  } catch {
    // Storage is disabled, as above.
  }
}

// The step whose page is shown, or -1: path and state must be equal.
export function stepAt(steps: readonly GuideStep[], path: string, state: UrlState): number {
  const here = formatState(state);
  return steps.findIndex((step) => {
    const [stepPath = "", search = ""] = step.path.split("?");
    return stepPath === path && formatState(parseState(search)) === here;
  });
}
