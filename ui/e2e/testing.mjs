// SPDX-License-Identifier: Apache-2.0
//
// Tests are collected here and run by run.mjs one after the other: they share a browser, which node:test would wait for
// before it ran a hook that closes it.
export const tests = [];

// test(name, body) or test(name, { skip: reason or false }, body), as in node:test.
export function test(name, options, body) {
  tests.push(body === undefined ? { name, options: {}, body: options } : { name, options, body });
}
