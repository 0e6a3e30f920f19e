// SPDX-License-Identifier: Apache-2.0
//
// Flame graphs that the document itself holds: one block for each sample type, compressed and as base64, so that no
// name of a profile can ever be read as markup (docs/formats/html.md).
import { decodeFlame } from "../profile/flame_decoder";
import { type FlameLayout, layOut } from "../profile/flame_layout";

const BLOCKS = 'script[type="application/vnd.flarestack.flame.v1"]';

export interface EmbeddedFlame {
  readonly type: string; // "cpu:nanoseconds"
  readonly load: () => Promise<FlameLayout>;
}

async function unpack(text: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// Each is unpacked when it is first shown.
export function embeddedFlames(page: Document): EmbeddedFlame[] {
  return [...page.querySelectorAll<HTMLScriptElement>(BLOCKS)].map((block) => {
    let layout: Promise<FlameLayout> | null = null;
    return {
      type: block.dataset["sampleType"] ?? "",
      load: () => (layout ??= unpack(block.textContent ?? "").then((bytes) => layOut(decodeFlame(bytes)))),
    };
  });
}
