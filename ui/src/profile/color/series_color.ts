// SPDX-License-Identifier: Apache-2.0
//
// The colours of lines, bars and services.
import { css, hashText, oklch } from "./color";
import type { Theme } from "./palette";

// For lines and bars: contrast of at least 3:1 with the page background, assigned by order and not by name.
const SERIES_HUES = [252, 45, 155, 325, 95, 200, 15, 285, 125, 225, 65, 345];

export function seriesColor(index: number, theme: Theme): string {
  const hue = SERIES_HUES[index % SERIES_HUES.length] ?? 0;
  return css(theme === "light" ? oklch(0.58, 0.14, hue) : oklch(0.72, 0.13, hue));
}

// The same service has the same colour on every page.
export function nameColor(name: string, theme: Theme): string {
  return seriesColor(hashText(name) % SERIES_HUES.length, theme);
}

// More severe is warmer. Records without a severity are grey.
const SEVERITY_HUES: Readonly<Record<string, number>> = {
  trace: 285,
  debug: 252,
  info: 225,
  warn: 75,
  error: 25,
  fatal: 345,
};

export function severityColor(severity: string, theme: Theme): string {
  const hue = SEVERITY_HUES[severity];
  const chroma = hue === undefined ? 0.01 : 0.14;
  return css(theme === "light" ? oklch(0.62, chroma, hue ?? 250) : oklch(0.7, chroma, hue ?? 250));
}
