// SPDX-License-Identifier: Apache-2.0
//
// Collects tests for run.mjs, which runs them sequentially. They share a browser, and node:test would wait for it before
// running the hook that closes it.
export const tests = [];

// test(name, body) or test(name, { skip: reason or false }, body), as in node:test.
export function test(name, options, body) {
  tests.push(body === undefined ? { name, options: {}, body: options } : { name, options, body });
}
