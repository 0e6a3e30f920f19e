// SPDX-License-Identifier: Apache-2.0
//
// Light or dark: as the system says, until somebody chooses.
import { computed, effect, signal } from "@preact/signals";
import type { Theme } from "../profile/palette";

const KEY = "flarestack.theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(system.matches);
system.addEventListener("change", () => (systemIsDark.value = system.matches));

function stored(): Theme | null {
  try {
    const value = window.localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null; // storage is switched off: the choice lasts as long as the page
  }
}

const chosen = signal<Theme | null>(stored());
export const theme = computed<Theme>(() => chosen.value ?? (systemIsDark.value ? "dark" : "light"));

export function toggleTheme(): void {
  chosen.value = theme.value === "dark" ? "light" : "dark";
  try {
    window.localStorage.setItem(KEY, chosen.value);
  } catch {
    // as above
  }
}

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});
