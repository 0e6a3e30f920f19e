// SPDX-License-Identifier: Apache-2.0
//
// Completion of a selector at the cursor. Works on incomplete text: {host.na| , {host.name=| , {host.name="web| .
import { formatSelector, type Matcher } from "./selector";

export interface Place {
  readonly kind: "key" | "operator" | "value" | "none";
  readonly start: number; // of the replaced text
  readonly end: number;
  readonly typed: string; // the replaced text up to the cursor
  readonly key: string; // of the matcher
  readonly others: string; // selector of all other matchers, to find the remaining values
}

const OPERATORS = ["=", "!=", "=~", "!~"] as const;
export const OPERATOR_NAMES: Readonly<Record<string, string>> = {
  "=": "equals",
  "!=": "does not equal",
  "=~": "matches regex",
  "!~": "does not match regex",
};

interface Piece {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly operatorStart: number;
  readonly operatorEnd: number;
  readonly valueStart: number; // after the quote; -1 if there is none yet
  readonly valueEnd: number;
  readonly end: number; // after the closing quote
}

const KEY = /[\w./-]*/y;
const OPERATOR = /[=!~]*/y;
const SPACE = /\s*/y;

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

// The possibly incomplete matcher at `at`.
function readPiece(text: string, at: number): Piece {
  const keyStart = skip(SPACE, text, at);
  const keyEnd = skip(KEY, text, keyStart);
  const operatorStart = skip(SPACE, text, keyEnd);
  const operatorEnd = skip(OPERATOR, text, operatorStart);
  const quote = skip(SPACE, text, operatorEnd);
  if (text[quote] !== '"')
    return { keyStart, keyEnd, operatorStart, operatorEnd, valueStart: -1, valueEnd: -1, end: operatorEnd };
  let valueEnd = quote + 1;
  while (valueEnd < text.length && text[valueEnd] !== '"') valueEnd += text[valueEnd] === "\\" ? 2 : 1;
  valueEnd = Math.min(valueEnd, text.length);
  return {
    keyStart,
    keyEnd,
    operatorStart,
    operatorEnd,
    valueStart: quote + 1,
    valueEnd,
    end: Math.min(valueEnd + 1, text.length),
  };
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = skip(SPACE, text, 0);
  if (text[at] === "{") ++at;
  for (;;) {
    const piece = readPiece(text, at);
    pieces.push(piece);
    const next = text.indexOf(",", piece.end);
    if (next < 0) return pieces;
    at = next + 1;
  }
}

const matcherOf = (text: string, piece: Piece): Matcher => ({
  key: text.slice(piece.keyStart, piece.keyEnd),
  operator: text.slice(piece.operatorStart, piece.operatorEnd) as Matcher["operator"],
  value: text.slice(piece.valueStart, piece.valueEnd).replace(/\\(.)/g, "$1"),
});

const isWhole = (text: string, { keyStart, keyEnd, operatorStart, operatorEnd, valueStart }: Piece): boolean =>
  valueStart >= 0 &&
  keyEnd > keyStart &&
  (OPERATORS as readonly string[]).includes(text.slice(operatorStart, operatorEnd));

export function placeAt(text: string, cursor: number): Place {
  const pieces = piecesOf(text);
  const here = lastBefore(pieces, cursor);
  const piece = pieces[Math.max(0, here)] ?? readPiece(text, 0);
  const others = formatSelector(
    pieces.filter((other) => other !== piece && isWhole(text, other)).map((other) => matcherOf(text, other)),
  );
  const key = text.slice(piece.keyStart, piece.keyEnd);
  const place = (kind: Place["kind"], start: number, end: number): Place => ({
    kind,
    start,
    end,
    typed: text.slice(start, Math.min(cursor, end)),
    key,
    others,
  });
  if (cursor <= piece.keyEnd) return place("key", piece.keyStart, piece.keyEnd);
  if (cursor <= piece.operatorEnd || piece.valueStart < 0)
    return key === "" ? place("none", cursor, cursor) : place("operator", piece.operatorStart, piece.operatorEnd);
  return cursor >= piece.valueStart && cursor <= piece.valueEnd
    ? place("value", piece.valueStart, piece.valueEnd)
    : place("none", cursor, cursor);
}

function lastBefore(pieces: readonly Piece[], cursor: number): number {
  let found = -1;
  pieces.forEach((piece, i) => {
    if (piece.keyStart <= cursor) found = i;
  });
  return found;
}

export interface Completed {
  readonly text: string;
  readonly cursor: number;
}

// Inserts the completion and any missing braces, operator and quotes. Places the cursor where typing continues.
export function complete(text: string, place: Place, choice: string): Completed {
  const brace = text.trimStart().startsWith("{") ? "" : "{";
  const before = brace + text.slice(0, place.start);
  const after = text.slice(place.end);
  const closed = (rest: string): string => (rest.trimEnd().endsWith("}") ? rest : `${rest}}`);
  if (place.kind === "key") {
    const hasOperator = /^\s*[=!]/.test(after);
    const head = `${before}${choice}${hasOperator ? "" : '="'}`;
    return { text: hasOperator ? head + after : head + closed(`"${after}`), cursor: head.length };
  }
  if (place.kind === "operator") {
    const hasValue = after.trimStart().startsWith('"');
    const head = `${before}${choice}${hasValue ? "" : '"'}`;
    return { text: hasValue ? head + after : head + closed(`"${after}`), cursor: head.length + (hasValue ? 1 : 0) };
  }
  const head = `${before}${choice.replace(/["\\]/g, "\\$&")}"`;
  return { text: head + closed(after.startsWith('"') ? after.slice(1) : after), cursor: head.length };
}

// Entries that contain the typed text, prefix matches first.
export function rank(choices: readonly string[], typed: string, max: number): string[] {
  const needle = typed.toLowerCase();
  const found = choices.filter((choice) => choice.toLowerCase().includes(needle) && choice !== "");
  const first = found.filter((choice) => choice.toLowerCase().startsWith(needle));
  return [...first, ...found.filter((choice) => !first.includes(choice))].slice(0, max);
}

export const operatorsFor = (typed: string): string[] =>
  OPERATORS.filter((operator) => operator.startsWith(typed.trim()));
