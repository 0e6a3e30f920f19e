// SPDX-License-Identifier: Apache-2.0
//
// Shorter forms of a function name for narrow boxes: without arguments, without template arguments, without leading
// namespaces, only the last part.

function withoutBrackets(name: string, open: string, close: string): string {
  let depth = 0;
  let out = "";
  for (let i = 0; i < name.length; ++i) {
    const c = name[i] ?? "";
    const isOperator = c === open && (open === "<" ? /operator<?$/ : /operator$/).test(name.slice(0, i));
    if (c === open && !isOperator) ++depth;
    if (depth === 0) out += c;
    if (c === close && depth > 0) --depth;
  }
  return depth === 0 ? out : name;
}

// From the full name to the shortest form, without duplicates.
export function displayNames(name: string): string[] {
  if (name.length < 8) return [name];
  const names = [name];
  const add = (shorter: string): void => {
    const text = shorter.trim();
    // A remainder such as "0" of "init.0" is meaningless.
    if (/[A-Za-z_~<]{2}/.test(text) && text.length < (names.at(-1)?.length ?? 0)) names.push(text);
  };
  const isGoMethod = /\.\(\*?\w+\)\./.test(name);
  const plain = isGoMethod ? name : withoutBrackets(name, "(", ")");
  add(plain);
  const bare = withoutBrackets(plain, "<", ">");
  add(bare);
  const path = bare.includes("/") && !bare.includes(" ") ? bare.slice(bare.lastIndexOf("/") + 1) : bare;
  add(path);
  const parts = path.split("::");
  if (parts.length > 2) add(parts.slice(-2).join("::"));
  if (parts.length > 1) add(parts.at(-1) ?? "");
  const dotted = path.split(".");
  if (parts.length === 1 && dotted.length > 2) add(dotted.slice(-2).join("."));
  if (parts.length === 1 && dotted.length > 1) add(dotted.at(-1) ?? "");
  return names;
}
