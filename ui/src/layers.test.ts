// SPDX-License-Identifier: Apache-2.0
//
// Each folder may import only the folders before it. Profile logic does not depend on pages, nor drawing on URLs.
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

it.each(ORDER)("%s imports only the folders before it", (folder) => {
  const mayUse = ORDER.slice(0, ORDER.indexOf(folder) + 1);
  for (const file of files(folder)) {
    for (const name of imports(readFileSync(file, "utf8"))) {
      if (!name.startsWith(".")) continue;
      const target = relative(SOURCE, resolve(dirname(file), name)).split(sep)[0] ?? "";
      expect(mayUse, `${relative(SOURCE, file)} imports ${name}`).toContain(target);
    }
  }
});

it("profile imports no library and does not use the DOM", () => {
  for (const file of files("profile").filter((name) => !name.endsWith(".test.ts"))) {
    const text = readFileSync(file, "utf8");
    expect(
      imports(text).filter((name) => !name.startsWith(".")),
      file,
    ).toEqual([]);
    expect(/\b(document|window)\./.test(text), file).toBe(false);
  }
});
