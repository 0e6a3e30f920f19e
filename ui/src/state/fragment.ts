// SPDX-License-Identifier: Apache-2.0
//
// What a file shows, behind the # of its address: a file has no server that would read a query. The schema is that of
// the pages (profile/url_state.ts), so that a link to a file leads to the same box.
import { computed, signal } from "@preact/signals";
import { formatState, parseState, type UrlState } from "../profile/url_state";

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
    // a frame without an address of its own: the view changes all the same
  }
}

window.addEventListener("popstate", () => (fragment.value = window.location.hash.slice(1)));
