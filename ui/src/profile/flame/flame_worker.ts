// SPDX-License-Identifier: Apache-2.0
//
// Decodes and lays out large flame graphs off the main thread, so that the page stays responsive. Columns are
// transferred, not copied; each text is sent once, because copying texts would cost the page what the worker saves.
import { decodeFlame } from "./flame_decoder";
import { layOut } from "./flame_layout";
import { type FlameReply, type FlameRequest, packFlame } from "./flame_message";

// The worker's `self`. TypeScript's "webworker" library conflicts with "dom", so its type is declared here.
const scope = self as unknown as {
  onmessage: ((event: MessageEvent<FlameRequest>) => void) | null;
  postMessage(message: FlameReply, transfer: readonly ArrayBufferLike[]): void;
};

scope.onmessage = ({ data: { id, buffer } }) => {
  try {
    const { packed, transfer } = packFlame(layOut(decodeFlame(buffer)));
    scope.postMessage({ id, packed, error: "" }, transfer);
  } catch (error) {
    scope.postMessage({ id, packed: null, error: error instanceof Error ? error.message : String(error) }, []);
  }
};
