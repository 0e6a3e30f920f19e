// SPDX-License-Identifier: Apache-2.0
//
// Flame graphs embedded in the document: one block per sample type, compressed and in base64, so that names in a profile
// are never parsed as markup (docs/formats/html.md).
import { decodeFlame } from "../profile/flame/flame_decoder";
import { type FlameLayout, layOut } from "../profile/flame/flame_layout";

const BLOCKS = 'script[type="application/vnd.flarestack.flame.v1"]';

export interface EmbeddedFlame {
  readonly type: string; // "cpu:nanoseconds"
  readonly load: () => Promise<FlameLayout>;
}

async function unpack(text: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// Each is decompressed when first shown.
export function embeddedFlames(page: Document): EmbeddedFlame[] {
  return [...page.querySelectorAll<HTMLScriptElement>(BLOCKS)].map((block) => {
    let layout: Promise<FlameLayout> | null = null;
    return {
      type: block.dataset["sampleType"] ?? "",
      load: () => (layout ??= unpack(block.textContent ?? "").then((bytes) => layOut(decodeFlame(bytes)))),
    };
  });
}
