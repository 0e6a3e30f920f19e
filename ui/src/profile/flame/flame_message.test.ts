// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { decodeFlame } from "./flame_decoder";
import { encodeFlame } from "./flame_encoder.testing";
import { layOut } from "./flame_layout";
import { packFlame, unpackFlame } from "./flame_message";

const LINES = "0 - 0 1\n1 main 2 2\n2 main 3 5\n2 - 4 0\n1 rest*7 1 9";

it("survives the transfer to another thread", () => {
  const sent = layOut(decodeFlame(encodeFlame({ lines: LINES, path: ["root"], probability: [1, 0.5, 0.25, 1, 1] })));
  const { packed, transfer } = packFlame(sent);
  const copy = structuredClone(packed);
  expect(unpackFlame(copy)).toEqual(sent);
  structuredClone(packed, { transfer: transfer as ArrayBuffer[] });
  expect(sent.tree.depth.length, "columns are handed over, not copied").toBe(0);
});

it("sends each text once", () => {
  const { packed } = packFlame(layOut(decodeFlame(encodeFlame({ lines: LINES }))));
  expect(packed.texts).toBe("mainrest");
  expect(packed.textEnds.length).toBe(3); // including the empty text
});
