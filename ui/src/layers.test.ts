// SPDX-License-Identifier: Apache-2.0
//
// Who may import whom: each folder only those before it. Profile logic knows no page, and drawing knows no address.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ORDER = ["api", "profile", "draw", "state", "view"];
const SOURCE = dirname(fileURLToPath(import.meta.url));

const imports = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\b(?:[^"';=]*?\bfrom)?\s*"([^"]+)"|\bimport\("([^"]+)"\)/gm)].map(
    (match) => match[1] ?? match[2] ?? "",
  );

function files(folder: string): string[] {
  return readdirSync(join(SOURCE, folder), { recursive: true })
    .map(String)
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(SOURCE, folder, name));
}

it.each(ORDER)("the folder %s imports only what stands before it", (folder) => {
  const mayUse = ORDER.slice(0, ORDER.indexOf(folder) + 1);
  for (const file of files(folder)) {
    for (const name of imports(readFileSync(file, "utf8"))) {
      if (!name.startsWith(".")) continue;
      const target = relative(SOURCE, resolve(dirname(file), name)).split(sep)[0] ?? "";
      expect(mayUse, `${relative(SOURCE, file)} imports ${name}`).toContain(target);
    }
  }
});

it("profile logic needs no library and no document", () => {
  for (const file of files("profile").filter((name) => !name.endsWith(".test.ts"))) {
    const text = readFileSync(file, "utf8");
    expect(
      imports(text).filter((name) => !name.startsWith(".")),
      file,
    ).toEqual([]);
    expect(/\b(document|window)\./.test(text), file).toBe(false);
  }
});
