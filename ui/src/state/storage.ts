// SPDX-License-Identifier: Apache-2.0
//
// Settings stored in the browser. If storage is disabled, they last while the page is open.

export function recall(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    window.localStorage.setItem(key, value);
  } catch {
    // Storage is disabled, as above.
  }
}
