// SPDX-License-Identifier: Apache-2.0
//
// How far the guide of a demonstration was followed, and whether it is folded or hidden. Kept by the browser, for the
// guide of this server alone: another demonstration starts at its first step.
import { signal } from "@preact/signals";
import type { GuideStep } from "../api/types";
import { formatState, parseState, type UrlState } from "../profile/url_state";

export interface Progress {
  readonly guide: string; // which one it is about
  readonly step: number;
  readonly isFolded: boolean; // to its title and the way on
  readonly isAway: boolean;
}

const KEY = "flarestack.guide";
const NONE: Progress = { guide: "", step: 0, isFolded: false, isAway: false };

// Addresses of steps contain times and ids of one demonstration, so they identify the guide.
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
    return NONE; // storage is switched off: it lasts as long as the page
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
    // as above
  }
}

// The step whose page is shown, or -1: the same path, and all that the step asks for.
export function stepAt(steps: readonly GuideStep[], path: string, state: UrlState): number {
  const here = formatState(state);
  return steps.findIndex((step) => {
    const [stepPath = "", search = ""] = step.path.split("?");
    return stepPath === path && formatState(parseState(search)) === here;
  });
}
