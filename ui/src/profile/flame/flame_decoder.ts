// SPDX-License-Identifier: Apache-2.0
//
// Decodes a binary flame graph (docs/formats/flame.md, version 1) into columns. Every count in the input is checked
// against the remaining bytes before memory is reserved, so a corrupt response only causes an error message.

export const FRAME_INLINED = 1;
export const FRAME_NAMELESS = 2;
export const FRAME_FOLDED = 4;
export const FRAME_GAP = 8; // never from the server: the gap between boxes

const HAS_PROBABILITY = 1;
const TEXT_BYTES_MAX = 128 * 1024 * 1024;

// Frame i is entry i of each column.
export interface FrameTable {
  readonly name: readonly string[];
  readonly file: readonly string[];
  readonly module: readonly string[];
  readonly type: readonly string[];
  readonly line: Int32Array;
  readonly flags: Uint8Array;
}

// Nodes are in preorder; node 0 is the root of the view. Self values have one column, or two: before and after.
export interface FlameTree {
  readonly type: string;
  readonly unit: string;
  readonly path: readonly string[]; // names above node 0, root first
  readonly frames: FrameTable;
  readonly count: number;
  readonly depth: Uint16Array;
  readonly frame: Uint32Array;
  readonly self: readonly Float64Array[];
  readonly folded: ReadonlyMap<number, number>; // node: number of nodes merged into it
  readonly probability: Float32Array | null;
}

export class FlameFormatError extends Error {
  override name = "FlameFormatError";
}

class Reader {
  private at = 0;
  constructor(private readonly bytes: Uint8Array) {}

  get left(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw new FlameFormatError(`flame graph truncated at byte ${this.at}`);
    this.at += 1;
    return value;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < 10; ++i) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw new FlameFormatError(`varint longer than ten bytes at byte ${this.at}`);
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  // Reads a count of items of at least `bytesOfEach` bytes.
  count(what: string, bytesOfEach: number): number {
    const count = this.varint();
    if (count * bytesOfEach > this.left) {
      throw new FlameFormatError(`${count} ${what} declared, but only ${this.left} bytes left`);
    }
    return count;
  }

  index(what: string, size: number): number {
    const index = this.varint();
    if (index >= size) throw new FlameFormatError(`${what} ${index} of ${size}`);
    return index;
  }

  slice(length: number): Uint8Array {
    if (length > this.left) throw new FlameFormatError(`string of ${length} bytes, but only ${this.left} bytes left`);
    const slice = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return slice;
  }

  float(): number {
    const slice = this.slice(4);
    return new DataView(slice.buffer, slice.byteOffset, 4).getFloat32(0, false);
  }
}

// Each text shares a prefix of this many bytes with the previous one.
function readStrings(reader: Reader): string[] {
  const decoder = new TextDecoder();
  const count = reader.count("texts", 2);
  const strings: string[] = [];
  let text = new Uint8Array(256);
  let length = 0;
  let sum = 0;
  for (let i = 0; i < count; ++i) {
    const shared = reader.varint();
    const rest = reader.slice(reader.varint());
    sum += shared + rest.length;
    if (shared > length) throw new FlameFormatError(`string ${i} shares ${shared} bytes with one of ${length} bytes`);
    if (sum > TEXT_BYTES_MAX) throw new FlameFormatError("strings are too long");
    length = shared + rest.length;
    if (length > text.length) {
      const longer = new Uint8Array(length * 2);
      longer.set(text.subarray(0, shared));
      text = longer;
    }
    text.set(rest, shared);
    strings.push(decoder.decode(text.subarray(0, length)));
  }
  return strings;
}

function readFrames(reader: Reader, strings: readonly string[]): FrameTable {
  const count = reader.count("frames", 6);
  const texts = (): string[] => {
    const column: string[] = [];
    for (let i = 0; i < count; ++i) column.push(strings[reader.index("text", strings.length)] ?? "");
    return column;
  };
  const [name, file, module, type] = [texts(), texts(), texts(), texts()];
  const line = new Int32Array(count);
  const flags = new Uint8Array(count);
  for (let i = 0; i < count; ++i) line[i] = reader.signed();
  for (let i = 0; i < count; ++i) flags[i] = reader.varint();
  return { name, file, module, type, line, flags };
}

function readDepths(reader: Reader, count: number): Uint16Array {
  const depth = new Uint16Array(count);
  let before = -1;
  for (let i = 0; i < count; ++i) {
    const value = i === 0 ? reader.signed() : before + reader.signed();
    const isChildOrAbove = i === 0 ? value === 0 : value >= 1 && value <= before + 1;
    if (!isChildOrAbove || value > 65535) {
      throw new FlameFormatError(`node ${i} has depth ${value} after depth ${before}`);
    }
    depth[i] = value;
    before = value;
  }
  return depth;
}

// 0 is the frame after the highest so far.
function readFrameNumbers(reader: Reader, count: number, frameCount: number): Uint32Array {
  const frame = new Uint32Array(count);
  let next = 0;
  for (let i = 0; i < count; ++i) {
    const coded = reader.varint();
    const number = coded === 0 ? next : coded - 1;
    if (number >= frameCount) throw new FlameFormatError(`frame ${number} of ${frameCount}`);
    frame[i] = number;
    next = Math.max(next, number + 1);
  }
  return frame;
}

// Throws FlameFormatError.
export function decodeFlame(buffer: ArrayBuffer): FlameTree {
  const reader = new Reader(new Uint8Array(buffer));
  const magic = String.fromCharCode(reader.byte(), reader.byte(), reader.byte(), reader.byte());
  if (magic !== "FLAM") throw new FlameFormatError("not a flame graph: missing FLAM header");
  const version = reader.byte();
  if (version !== 1)
    throw new FlameFormatError(`unsupported flame graph version ${version}; this page reads version 1`);
  const flags = reader.byte();
  if ((flags & ~HAS_PROBABILITY) !== 0) throw new FlameFormatError(`unknown flame graph flags ${flags}`);
  const columns = reader.byte();
  if (columns !== 1 && columns !== 2) throw new FlameFormatError(`${columns} value columns`);
  reader.byte();

  const strings = readStrings(reader);
  const type = strings[reader.index("text", strings.length)] ?? "";
  const unit = strings[reader.index("text", strings.length)] ?? "";
  const path: string[] = [];
  for (let left = reader.count("names", 1); left > 0; --left) {
    path.push(strings[reader.index("text", strings.length)] ?? "");
  }
  const frames = readFrames(reader, strings);

  const count = reader.count("nodes", 2 + columns);
  const depth = readDepths(reader, count);
  const frame = readFrameNumbers(reader, count, frames.name.length);
  const self: Float64Array[] = [];
  for (let column = 0; column < columns; ++column) {
    const values = new Float64Array(count);
    for (let i = 0; i < count; ++i) values[i] = reader.signed();
    self.push(values);
  }
  const folded = new Map<number, number>();
  for (let i = 0; i < count; ++i) {
    if (((frames.flags[frame[i] ?? 0] ?? 0) & FRAME_FOLDED) !== 0) folded.set(i, reader.varint());
  }
  let probability: Float32Array | null = null;
  if ((flags & HAS_PROBABILITY) !== 0) {
    probability = new Float32Array(count);
    for (let i = 0; i < count; ++i) probability[i] = reader.float();
  }
  if (reader.left !== 0) throw new FlameFormatError(`${reader.left} trailing bytes after the flame graph`);
  return { type, unit, path, frames, count, depth, frame, self, folded, probability };
}
