// SPDX-License-Identifier: Apache-2.0
//
// Allowed imports, in the order of the data flow: a row names the folders that it may import besides itself, and `.` stands
// for the files of the folder itself. A row names only rows above it, and only what some file needs.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

type Rows = Readonly<Record<string, readonly string[]>>;

const FOLDERS: Rows = {
  style: [],
  api: [],
  profile: ["api"],
  draw: ["profile"],
  state: ["api", "profile"],
  view: ["api", "profile", "draw", "state"],
  ".": ["style", "state", "view"],
};

const SUBFOLDERS: Readonly<Record<string, Rows>> = {
  profile: {
    color: [],
    cost: [],
    time: [],
    query: [],
    flame: ["color", "query"],
    signals: ["query"],
  },
  view: {
    parts: [],
    graphs: ["parts"],
    start: ["parts"],
    shell: ["parts", "start"],
    explore: ["parts", "graphs"],
    compare: ["parts", "graphs"],
    fleet: ["parts", "graphs", "start"],
    traces: ["parts", "graphs"],
    logs: ["parts", "graphs"],
    ".": ["parts", "graphs", "shell", "explore", "compare", "fleet", "traces", "logs"],
  },
};

const SOURCE = dirname(fileURLToPath(import.meta.url));

const imports = (text: string): string[] =>
  [
    ...text.matchAll(
      /^(?:import|export)\b(?:[^"';=]*?\bfrom)?\s*"([^"]+)"|\bimport\("([^"]+)"\)|\bnew URL\("(\.[^"]+)", import\.meta\.url\)/gm,
    ),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? "");

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

const foldersIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);

// The row of a path: its first folder below `folder`, or `.`.
function rowOf(folder: string, path: string): string {
  const [first = "", ...rest] = relative(folder, path).split(sep);
  return rest.length === 0 ? "." : first;
}

// Imports between the rows of a folder: "view api", with the files that have them.
function importsBetweenRows(folder: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of files(folder)) {
    for (const name of imports(readFileSync(file, "utf8"))) {
      const target = resolve(dirname(file), name);
      if (!name.startsWith(".") || !target.startsWith(folder + sep)) continue;
      const key = `${rowOf(folder, file)} ${rowOf(folder, target)}`;
      found.set(key, [...(found.get(key) ?? []), `${relative(SOURCE, file)} imports ${name}`]);
    }
  }
  return found;
}

describe.each([
  ["src", SOURCE, FOLDERS] as const,
  ...Object.entries(SUBFOLDERS).map(([name, rows]) => [name, join(SOURCE, name), rows] as const),
])("%s", (_, folder, rows) => {
  const found = importsBetweenRows(folder);

  it("has a row for each folder", () => {
    expect(
      Object.keys(rows)
        .filter((name) => name !== ".")
        .sort(),
    ).toEqual(foldersIn(folder).sort());
  });

  it("has rows that name only rows above them", () => {
    const names = Object.keys(rows);
    for (const [name, mayImport] of Object.entries(rows))
      expect(names.slice(0, names.indexOf(name)), name).toEqual(expect.arrayContaining([...mayImport]));
  });

  it("has only allowed imports", () => {
    const forbidden = [...found].filter(([key]) => {
      const [from = "", to = ""] = key.split(" ");
      return from !== to && rows[from]?.includes(to) !== true;
    });
    expect(forbidden.flatMap(([, where]) => where)).toEqual([]);
  });

  it("allows only imports that some file needs", () => {
    const allowed = Object.entries(rows).flatMap(([from, mayImport]) => mayImport.map((to) => `${from} ${to}`));
    expect(allowed.filter((key) => !found.has(key))).toEqual([]);
  });
});

it("each folder with sub-folders has rows for them", () => {
  const divided = foldersIn(SOURCE).filter((name) => foldersIn(join(SOURCE, name)).length > 0);
  expect(Object.keys(SUBFOLDERS).sort()).toEqual(divided.sort());
});

it("profile imports no library and does not use the DOM", () => {
  for (const file of files(join(SOURCE, "profile")).filter((name) => !name.endsWith(".test.ts"))) {
    const text = readFileSync(file, "utf8");
    expect(
      imports(text).filter((name) => !name.startsWith(".")),
      file,
    ).toEqual([]);
    expect(/\b(document|window)\./.test(text), file).toBe(false);
  }
});
