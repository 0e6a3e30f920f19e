// SPDX-License-Identifier: Apache-2.0
//
// Selectors such as {service.name="cart",host.name=~"web.*"}. Parses enough to show and change single matchers. The
// server is authoritative: text that cannot be parsed here is sent unchanged.

export interface Matcher {
  readonly key: string;
  readonly operator: "=" | "!=" | "=~" | "!~";
  readonly value: string;
}

const MATCHER = /\s*([\w./-]+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"\s*(,|$)/y;

export function parseSelector(text: string): Matcher[] | null {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return null;
  const inside = trimmed.slice(1, -1).trim();
  const matchers: Matcher[] = [];
  MATCHER.lastIndex = 0;
  while (MATCHER.lastIndex < inside.length) {
    const match = MATCHER.exec(inside);
    if (match === null) return null;
    const value = (match[3] ?? "").replace(/\\(.)/g, "$1");
    matchers.push({ key: match[1] ?? "", operator: match[2] as Matcher["operator"], value });
  }
  return matchers;
}

export function formatMatcher(matcher: Matcher): string {
  return `${matcher.key}${matcher.operator}"${matcher.value.replace(/["\\]/g, "\\$&")}"`;
}

export function formatSelector(matchers: readonly Matcher[]): string {
  return matchers.length === 0 ? "" : `{${matchers.map(formatMatcher).join(",")}}`;
}

// Sets one attribute of the selector; an empty value removes it. Replaces a selector that cannot be parsed.
export function withMatch(selector: string, key: string, value: string): string {
  const others = (parseSelector(selector) ?? []).filter((matcher) => matcher.key !== key);
  return formatSelector(value === "" ? others : [{ key, operator: "=", value }, ...others]);
}

export function exactValue(selector: string, key: string): string {
  const found = (parseSelector(selector) ?? []).find((matcher) => matcher.key === key && matcher.operator === "=");
  return found?.value ?? "";
}
