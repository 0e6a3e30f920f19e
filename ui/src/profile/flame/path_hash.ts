// SPDX-License-Identifier: Apache-2.0
//
// The id of a call path in links: 64-bit FNV-1a over its names, each followed by a zero byte, as 11 characters of
// URL-safe Base64 (docs/formats/flame.md). Uses two 32-bit halves, because BigInt is too slow for every node of a graph.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const encoder = new TextEncoder();

export interface PathHash {
  readonly high: number;
  readonly low: number;
}

export const EMPTY_PATH: PathHash = { high: 0xcbf29ce4, low: 0x84222325 };

// The prime is 2^40 + 435, so a product is a shift and a small multiplication; both fit a double exactly.
export function extendPath(hash: PathHash, name: string): PathHash {
  let high = hash.high;
  let low = hash.low;
  const bytes = encoder.encode(name);
  for (let i = 0; i <= bytes.length; ++i) {
    low = (low ^ (bytes[i] ?? 0)) >>> 0;
    const product = low * 435;
    high = (high * 435 + Math.floor(product / 4294967296) + low * 256) >>> 0;
    low = product >>> 0;
  }
  return { high, low };
}

export function hashPath(names: readonly string[]): PathHash {
  return names.reduce(extendPath, EMPTY_PATH);
}

export function pathHashText(hash: PathHash): string {
  let bits = (BigInt(hash.high) << 34n) | (BigInt(hash.low) << 2n); // 66 bits: eleven digits of six bits
  let text = "";
  for (let i = 0; i < 11; ++i) {
    text = (ALPHABET[Number(bits & 63n)] ?? "") + text;
    bits >>= 6n;
  }
  return text;
}

export function parsePathHash(text: string): PathHash | null {
  if (text.length !== 11) return null;
  let bits = 0n;
  for (const digit of text) {
    const value = ALPHABET.indexOf(digit);
    if (value < 0) return null;
    bits = (bits << 6n) | BigInt(value);
  }
  if ((bits & 3n) !== 0n) return null;
  return { high: Number(bits >> 34n), low: Number((bits >> 2n) & 0xffffffffn) };
}
