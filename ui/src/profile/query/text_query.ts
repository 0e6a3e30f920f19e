// SPDX-License-Identifier: Apache-2.0
//
// Text search: plain text or /regex/, both case-insensitive.

// `test` is null for an empty text or an invalid expression.
export function parseTextQuery(text: string): {
  readonly test: ((text: string) => boolean) | null;
  readonly error: string;
} {
  if (text === "") return { test: null, error: "" };
  const regex = /^\/(.+)\/$/.exec(text);
  if (regex === null) {
    const needle = text.toLowerCase();
    return { test: (name) => name.toLowerCase().includes(needle), error: "" };
  }
  try {
    const compiled = new RegExp(regex[1] ?? "", "i");
    return { test: (name) => compiled.test(name), error: "" };
  } catch (error) {
    return { test: null, error: error instanceof Error ? error.message : String(error) };
  }
}
