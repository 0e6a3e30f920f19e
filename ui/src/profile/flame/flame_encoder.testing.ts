// SPDX-License-Identifier: Apache-2.0
//
// Encodes flame graphs for tests. Written from the format description, independently of the decoder.

export interface TextTree {
  // Lines "depth name self [after]" in preorder; "*n" after a name marks a folded node of n nodes.
  readonly lines: string;
  readonly path?: readonly string[];
  readonly probability?: readonly number[];
}

function varint(value: number, out: number[]): void {
  let rest = value;
  while (rest >= 128) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
}

const signed = (value: number, out: number[]): void => varint(value >= 0 ? value * 2 : -value * 2 - 1, out);

export function encodeFlame(tree: TextTree): ArrayBuffer {
  const rows = tree.lines
    .trim()
    .split("\n")
    .map((line) => {
      const [depth, label, ...values] = line.trim().split(/\s+/);
      const [name, folded] = (label ?? "").split("*");
      return {
        depth: Number(depth),
        name: name === "-" ? "" : (name ?? ""),
        folded: Number(folded ?? 0),
        values: values.map(Number),
      };
    });
  const columns = rows[0]?.values.length ?? 1;
  const strings: string[] = [""];
  const index = (text: string): number => {
    const found = strings.indexOf(text);
    return found >= 0 ? found : strings.push(text) - 1;
  };
  const frames: { name: number; folded: boolean }[] = [];
  const frameOf = rows.map((row) => {
    const name = index(row.name);
    const found = frames.findIndex((frame) => frame.name === name && frame.folded === row.folded > 0);
    return found >= 0 ? found : frames.push({ name, folded: row.folded > 0 }) - 1;
  });
  const type = index("cpu");
  const unit = index("nanoseconds");
  const path = (tree.path ?? []).map(index);

  const out: number[] = [0x46, 0x4c, 0x41, 0x4d, 1, tree.probability === undefined ? 0 : 1, columns, 0];
  varint(strings.length, out);
  let before = new Uint8Array();
  for (const text of strings) {
    const bytes = new TextEncoder().encode(text);
    let shared = 0;
    while (shared < bytes.length && bytes[shared] === before[shared]) ++shared;
    varint(shared, out);
    varint(bytes.length - shared, out);
    out.push(...bytes.subarray(shared));
    before = bytes;
  }
  varint(type, out);
  varint(unit, out);
  varint(path.length, out);
  for (const name of path) varint(name, out);
  varint(frames.length, out);
  for (const frame of frames) varint(frame.name, out);
  for (const _ of ["file", "module", "type"]) for (const _frame of frames) varint(0, out);
  for (const frame of frames) signed(frame.folded ? 0 : 7, out);
  for (const frame of frames) varint(frame.folded ? 4 : 0, out);
  varint(rows.length, out);
  for (const [i, row] of rows.entries()) signed(row.depth - (rows[i - 1]?.depth ?? 0), out);
  let highest = -1;
  for (const frame of frameOf) {
    varint(frame === highest + 1 ? 0 : frame + 1, out);
    highest = Math.max(highest, frame);
  }
  for (let column = 0; column < columns; ++column) for (const row of rows) signed(row.values[column] ?? 0, out);
  for (const row of rows) if (row.folded > 0) varint(row.folded, out);
  for (const value of tree.probability ?? []) {
    const bytes = new DataView(new ArrayBuffer(4));
    bytes.setFloat32(0, value, false);
    for (let i = 0; i < 4; ++i) out.push(bytes.getUint8(i));
  }
  return new Uint8Array(out).buffer;
}
