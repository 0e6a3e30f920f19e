// SPDX-License-Identifier: Apache-2.0
//
// The view state of a one-file profile, after the # of its URL, because a file URL has no query. It has the schema of the
// pages (profile/query/url_state.ts), so that a link to a file opens the same frame.
import { computed, signal } from "@preact/signals";
import { formatState, parseState, type UrlState } from "../profile/query/url_state";

const fragment = signal(window.location.hash.slice(1));
window.addEventListener("hashchange", () => (fragment.value = window.location.hash.slice(1)));

export const fileState = computed(() => parseState(fragment.value));

export function updateFile(patch: Partial<UrlState>, isReplacing = false): void {
  const next = formatState({ ...fileState.peek(), ...patch });
  if (next === fragment.peek()) return;
  fragment.value = next;
  try {
    if (isReplacing) window.history.replaceState(null, "", `#${next}`);
    else window.history.pushState(null, "", `#${next}`);
  } catch {
    // An iframe without its own URL: the view changes anyway.
  }
}

window.addEventListener("popstate", () => (fragment.value = window.location.hash.slice(1)));
