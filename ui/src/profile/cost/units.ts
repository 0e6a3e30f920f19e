// SPDX-License-Identifier: Apache-2.0
//
// Formats values for display: three significant digits, always with a unit.

const TIME: readonly (readonly [number, string])[] = [
  [86_400e9, "d"],
  [3600e9, "h"],
  [60e9, "min"],
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];
const BYTES: readonly (readonly [number, string])[] = [
  [2 ** 40, "TiB"],
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
  [1, "B"],
];
const COUNT: readonly (readonly [number, string])[] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e4, "k"],
];

const NANOS_OF: Readonly<Record<string, number>> = {
  nanoseconds: 1,
  ns: 1,
  microseconds: 1e3,
  us: 1e3,
  milliseconds: 1e6,
  ms: 1e6,
  seconds: 1e9,
  s: 1e9,
};

export function digits(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

function scaled(value: number, scale: readonly (readonly [number, string])[]): string {
  for (const [size, unit] of scale) {
    if (Math.abs(value) >= size * 0.9995) return `${digits(value / size)} ${unit}`;
  }
  const last = scale.at(-1);
  return last === undefined ? digits(value) : `${digits(value / last[0])} ${last[1]}`;
}

export function formatNanos(nanos: number): string {
  return scaled(nanos, TIME);
}

export function formatBytes(bytes: number): string {
  return scaled(bytes, BYTES);
}

export const formatFrames = (count: number): string => formatCounted(count, "frame");

export function formatCount(count: number): string {
  for (const [size, letter] of COUNT) {
    if (Math.abs(count) >= size) return `${digits(count / (letter === "k" ? 1e3 : size))}${letter}`;
  }
  return digits(count);
}

// "1 span", "12.3k spans".
export function formatCounted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

// Units are those of pprof ("nanoseconds") or UCUM ("By", "{request}/s").
export function formatValue(value: number, unit: string): string {
  const nanos = NANOS_OF[unit];
  if (nanos !== undefined) return formatNanos(value * nanos);
  if (unit === "bytes" || unit === "By") return formatBytes(value);
  if (unit.endsWith("/s") && unit !== "/s") return `${formatValue(value, unit.slice(0, -2))}/s`;
  const text = unitText(unit);
  if (text === "" || text === "count") return formatCount(value);
  return `${text === unit ? digits(value) : formatCount(value)} ${text}`;
}

// UCUM annotations are shown as words: "{request}" is "request". "1" is omitted.
export function unitText(unit: string): string {
  return unit === "1" ? "" : unit.replace(/[{}]/g, "");
}

export function formatShare(share: number): string {
  const percent = share * 100;
  if (!Number.isFinite(percent)) return "–";
  if (percent !== 0 && Math.abs(percent) < 0.01) return percent < 0 ? "> −0.01 %" : "< 0.01 %";
  return `${percent.toFixed(Math.abs(percent) < 10 ? 2 : 1)} %`;
}

export function formatSigned(text: string, value: number): string {
  return value > 0 ? `+${text}` : text.replace("-", "−");
}

// Two digits suffice below a tenth of a core: "0.064".
export function formatCores(value: number): string {
  return Math.abs(value) < 0.1 ? String(Number(value.toPrecision(2))) : digits(value);
}

// CPU time of a range as cores used; null if the unit is not a time.
export function cores(value: number, unit: string, rangeNanos: number): number | null {
  const nanos = NANOS_OF[unit];
  return nanos === undefined || rangeNanos <= 0 ? null : (value * nanos) / rangeNanos;
}
