// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { decodeFlame, FlameFormatError } from "./flame_decoder";
import { encodeFlame } from "./flame_encoder.testing";

const SHOP = `
  0 -        0
  1 main     5
  2 parse    70
  2 (other)*3 25
  1 idle     4000000000000`;

describe("flame graph decoder", () => {
  it("reads nodes in preorder with their names and self values", () => {
    const tree = decodeFlame(encodeFlame({ lines: SHOP }));
    expect([tree.type, tree.unit, tree.count]).toEqual(["cpu", "nanoseconds", 5]);
    expect([...tree.depth]).toEqual([0, 1, 2, 2, 1]);
    expect([...tree.frame].map((frame) => tree.frames.name[frame])).toEqual(["", "main", "parse", "(other)", "idle"]);
    expect([...(tree.self[0] ?? [])]).toEqual([0, 5, 70, 25, 4e12]);
    expect([...tree.folded]).toEqual([[3, 3]]);
  });

  it("reads both columns and the probabilities of a comparison", () => {
    const tree = decodeFlame(encodeFlame({ lines: "0 - 0 0\n1 main 3 -9", probability: [1, 0.25], path: ["a", "b"] }));
    expect(tree.self.map((column) => [...column])).toEqual([
      [0, 3],
      [0, -9],
    ]);
    expect([...(tree.probability ?? [])]).toEqual([1, 0.25]);
    expect(tree.path).toEqual(["a", "b"]);
  });

  it("restores prefix-compressed names, in any order of frames", () => {
    const lines = "0 - 0\n1 größe 1\n1 größer 2\n1 größe 3\n1 grün 4\n1 größer 5";
    const tree = decodeFlame(encodeFlame({ lines }));
    expect([...tree.frame].map((frame) => tree.frames.name[frame])).toEqual([
      "",
      "größe",
      "größer",
      "größe",
      "grün",
      "größer",
    ]);
  });

  it("limits the memory that a small message can expand to", () => {
    const long = 1 << 20;
    const number = [(long % 128) + 128, (Math.floor(long / 128) % 128) + 128, Math.floor(long / 16384)];
    const head = [0x46, 0x4c, 0x41, 0x4d, 1, 0, 1, 0, 0xe8, 0x07, 0, ...number];
    const bytes = new Uint8Array(head.length + long + 999 * 4);
    bytes.set(head);
    for (let i = 0; i < 999; ++i) bytes.set([...number, 0], head.length + long + i * 4);
    expect(() => decodeFlame(bytes.buffer)).toThrow(/too long/);
  });

  it("rejects every truncation with a reason", () => {
    const whole = encodeFlame({ lines: SHOP, probability: [1, 1, 1, 1, 1] });
    for (let length = 0; length < whole.byteLength; ++length) {
      expect(() => decodeFlame(whole.slice(0, length))).toThrow(FlameFormatError);
    }
  });

  it("decodes or rejects a message with any single byte changed", () => {
    const whole = new Uint8Array(encodeFlame({ lines: SHOP }));
    for (let at = 0; at < whole.length; ++at) {
      for (const value of [0, 1, 0x7f, 0x80, 0xff]) {
        const bytes = whole.slice();
        bytes[at] = value;
        try {
          expect(decodeFlame(bytes.buffer).count).toBeLessThanOrEqual(whole.length);
        } catch (error) {
          expect(error).toBeInstanceOf(FlameFormatError);
        }
      }
    }
  });

  it("rejects other versions, unknown flags and trailing bytes", () => {
    const bytes = new Uint8Array(encodeFlame({ lines: SHOP }));
    const changed = (at: number, value: number): ArrayBuffer => {
      const copy = bytes.slice();
      copy[at] = value;
      return copy.buffer;
    };
    expect(() => decodeFlame(changed(4, 2))).toThrow(/version 2/);
    expect(() => decodeFlame(changed(5, 8))).toThrow(/flags/);
    expect(() => decodeFlame(new Uint8Array([...bytes, 0]).buffer)).toThrow(/1 trailing bytes/);
  });
});
