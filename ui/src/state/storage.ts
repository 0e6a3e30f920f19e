// SPDX-License-Identifier: Apache-2.0
//
// Choices that the browser keeps. Where storage is switched off they last as long as the page.

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
    // as above
  }
}
