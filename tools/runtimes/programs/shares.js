// SPDX-License-Identifier: Apache-2.0
//
// Burns CPU time in shares that are known: see ../measure.py.

const { Worker, isMainThread } = require("worker_threads");

// The CPU time of the thread, or of the process before Node.js 23.
const usage = process.threadCpuUsage ? () => process.threadCpuUsage() : () => process.cpuUsage();

function clock() {
  const { user, system } = usage();
  return (user + system) / 1000;
}

let sink = 0;

function burn(milliseconds) {
  const end = clock() + milliseconds;
  while (clock() < end) {
    let sum = 0;
    for (let i = 0; i < 20000; i++) sum = (sum + i * 7) % 1000003;
    sink += sum;
  }
} // burn ends

function ten() {
  burn(30);
}

function twenty() {
  burn(600);
}

function thirty() {
  burn(90);
}

function forty() {
  burn(120);
}

function descend(depth) {
  if (depth === 0) {
    forty();
  } else {
    descend(depth - 1);
  }
}

function byPrice() {
  thirty();
  return 0;
}

function inThread() {
  twenty();
}

function byLine() {
  burn(20); // 20 % of byLine
  burn(30); // 30 % of byLine
  burn(50); // 50 % of byLine
}

function main() {
  for (let i = 0; i < 10; i++) {
    ten();
    [1, 2].sort(byPrice);
    descend(19);
    byLine();
  }
  new Worker(__filename);
}

if (isMainThread) {
  main();
} else {
  inThread();
}
