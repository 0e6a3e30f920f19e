// SPDX-License-Identifier: Apache-2.0
//
// Icons on a 16-pixel grid, drawn with one stroke.
import type { JSX } from "preact";

const PATHS = {
  fleet: "M2 13V6M6 13V3M10 13V8M14 13V5",
  explore: "M2 3h12v3H2zM2 6.5h8v3H2zM2 10h4v3H2z",
  diff: "M2 4h7M2 8h5M2 12h8M13 3v10M11 10.5l2 2.5 2-2.5",
  traces: "M2 4h9M5 8h7M8 12h6",
  metrics: "M2 13l4-5 3 3 5-8",
  logs: "M3 3.5h10M3 6.5h7M3 9.5h10M3 12.5h5",
  profiles: "M4 2.5h8v11H4zM6.5 6h3M6.5 8.5h3",
  open: "M2.5 12.5v-9h4l1.5 2h5.5v7zM8 11V7.5M6.3 9L8 7.3 9.7 9",
  symbols: "M5.5 3L2 8l3.5 5M10.5 3L14 8l-3.5 5",
  health: "M2 8.5h3L7 4l2.5 8L11.5 8.5H14",
  refresh: "M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3",
  link: "M6.5 9.5l3-3M5 7.5L3.6 8.9a2.6 2.6 0 0 0 3.6 3.6L8.6 11M11 8.5l1.4-1.4a2.6 2.6 0 0 0-3.6-3.6L7.4 5",
  theme: "M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11",
  help: "M6 6.2a2 2 0 1 1 2.7 1.9c-.5.2-.7.6-.7 1.1v.4M8 12h.01M8 14.2A6.2 6.2 0 1 0 8 1.8a6.2 6.2 0 0 0 0 12.4",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12M8 4.8V8l2.2 1.6",
  flame:
    "M8 14c-2.6 0-4.2-1.7-4.2-4 0-2.7 2.7-3.7 2.9-7 2.6 1.2 3.2 3 2.9 4.3.8-.3 1.1-.9 1.2-1.5 1 1.2 1.4 2.6 1.4 4.2 0 2.3-1.600 4-4.200 4z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Brand(): JSX.Element {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <rect x="1" y="11" width="14" height="4" rx="1" fill="#b3401f" />
      <rect x="3" y="6.5" width="9" height="4" rx="1" fill="#e2682c" />
      <rect x="5" y="2" width="4" height="4" rx="1" fill="#f6a83c" />
    </svg>
  );
}
