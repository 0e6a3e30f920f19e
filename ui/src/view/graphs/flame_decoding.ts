// SPDX-License-Identifier: Apache-2.0
//
// Decodes and lays out a binary flame graph. Small ones are decoded inline, which is faster than a round trip to a
// worker; large ones in a worker, so that the page stays responsive.
import { decodeFlame } from "../../profile/flame/flame_decoder";
import { type FlameLayout, layOut } from "../../profile/flame/flame_layout";
import { type FlameReply, type FlameRequest, unpackFlame } from "../../profile/flame/flame_message";

const INLINE_BYTES_MAX = 192 * 1024; // about ten milliseconds of work

interface Waiting {
  readonly resolve: (layout: FlameLayout) => void;
  readonly reject: (error: Error) => void;
}

let worker: Worker | null = null;
let lastId = 0;
const waiting = new Map<number, Waiting>();

function start(): Worker {
  const made = new Worker(new URL("../../profile/flame/flame_worker.ts", import.meta.url), { type: "module" });
  made.onmessage = ({ data: { id, packed, error } }: MessageEvent<FlameReply>) => {
    const pending = waiting.get(id);
    waiting.delete(id);
    if (packed === null) pending?.reject(new Error(error));
    else pending?.resolve(unpackFlame(packed));
  };
  // The script is missing or out of memory: pending callers get the error, the next one a new worker.
  made.onerror = (event) => {
    for (const pending of waiting.values())
      pending.reject(new Error(`the flame graph could not be decoded: ${event.message}`));
    waiting.clear();
    worker = null;
  };
  return made;
}

export async function layOutBytes(buffer: ArrayBuffer): Promise<FlameLayout> {
  if (buffer.byteLength <= INLINE_BYTES_MAX) return layOut(decodeFlame(buffer));
  worker ??= start();
  const target = worker;
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    const request: FlameRequest = { id, buffer };
    target.postMessage(request, [buffer]);
  });
}
