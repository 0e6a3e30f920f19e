// SPDX-License-Identifier: Apache-2.0
//
// Light or dark: follows the system until the user chooses.
import { computed, effect, signal } from "@preact/signals";
import type { Theme } from "../profile/color/palette";
import { nameColor, seriesColor } from "../profile/color/series_color";
import { recall, remember } from "./storage";

const KEY = "flarestack.theme";
const system = window.matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(system.matches);
system.addEventListener("change", () => (systemIsDark.value = system.matches));

function stored(): Theme | null {
  const value = recall(KEY);
  return value === "light" || value === "dark" ? value : null;
}

const chosen = signal<Theme | null>(stored());
export const theme = computed<Theme>(() => chosen.value ?? (systemIsDark.value ? "dark" : "light"));

export function toggleTheme(): void {
  chosen.value = theme.value === "dark" ? "light" : "dark";
  remember(KEY, chosen.value);
}

effect(() => {
  document.documentElement.dataset["theme"] = theme.value;
});

// The same service has the same colour on every page: its colour is its position among the known names.
export const serviceNames = signal<readonly string[]>([]);

export function knowServices(names: readonly string[]): void {
  const sorted = [...names].sort();
  if (sorted.join("\n") !== serviceNames.peek().join("\n")) serviceNames.value = sorted;
}

export function serviceColor(name: string): string {
  const at = serviceNames.value.indexOf(name);
  return at >= 0 ? seriesColor(at, theme.value) : nameColor(name, theme.value);
}
