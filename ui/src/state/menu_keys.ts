// SPDX-License-Identifier: Apache-2.0

// The index of the menu item that a key moves to: arrows wrap around, Home and End jump to the ends, a letter to the next
// item that starts with it. Null for other keys. `at` is -1 if no item is current.
export function itemFor(key: string, at: number, labels: readonly string[]): number | null {
  const count = labels.length;
  if (count === 0) return null;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return at <= 0 ? count - 1 : at - 1;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (key.length !== 1 || key === " ") return null;
  const letter = key.toLowerCase();
  for (let step = 1; step <= count; ++step) {
    const i = (at + step) % count;
    if (labels[i]?.trimStart().toLowerCase().startsWith(letter) === true) return i;
  }
  return null;
}
