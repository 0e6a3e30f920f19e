// SPDX-License-Identifier: Apache-2.0
//
// Decodes and lays out large flame graphs beside the page, which goes on answering meanwhile. Columns are handed over
// and not copied; texts are sent once each, because copies of them would cost the page what the worker has saved.
import { decodeFlame } from "./flame_decoder";
import { layOut } from "./flame_layout";
import { type FlameReply, type FlameRequest, packFlame } from "./flame_message";

// `self` of a worker; the library of types that knows it cannot be used beside that of pages.
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
