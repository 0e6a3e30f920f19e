// SPDX-License-Identifier: Apache-2.0
//
// Does what servers do, with the standard library: many functions, callbacks and objects that die young.
//
//   busy.js [SECONDS]    of CPU time; forever without it

const orders = [];
for (let number = 0; number < 300; number++) {
  const prices = [];
  for (let i = 0; i < 8; i++) prices.push((number * 37 + i) % 101);
  orders.push({ id: number, customer: "customer " + (number % 17), prices });
}
const words = [];
for (let number = 0; number < 400; number++) words.push("line " + number + " of order " + (number % 7) + ",");
const text = words.join(" ");
let sink = 0;

class Parser {
  constructor(source) {
    this.tokens = source.match(/\d+|[-+*()]/g);
    this.at = 0;
  }

  sum() {
    let value = this.product();
    while (this.tokens[this.at] === "+" || this.tokens[this.at] === "-") {
      value += this.tokens[this.at++] === "+" ? this.product() : -this.product();
    }
    return value;
  }

  product() {
    let value = this.factor();
    while (this.tokens[this.at] === "*") {
      this.at++;
      value *= this.factor();
    }
    return value % 1000003;
  }

  factor() {
    const token = this.tokens[this.at++];
    if (token !== "(") return Number(token);
    const value = this.sum();
    this.at++;
    return value;
  }
}

function nested(depth) {
  return depth === 0 ? "7*3+2" : "(" + nested(depth - 1) + ")*2-(" + nested(depth - 1) + ")";
}

const formula = nested(7);

function parseFormula() {
  sink += new Parser(formula).sum();
}

function encodeOrders() {
  sink += JSON.parse(JSON.stringify(orders, null, 1)).length;
}

function total(order) {
  return order.prices.reduce((sum, price) => sum + price * 3, 0);
}

function byTotal(one, other) {
  return total(one) - total(other);
}

function sortOrders() {
  sink += [...orders].sort(byTotal).length;
}

function groupOrders() {
  const groups = new Map();
  for (const order of orders) groups.set(order.customer, (groups.get(order.customer) || []).concat(order.prices));
  sink += [...groups.values()].map((prices) => Math.max(...prices)).length;
}

function matchText() {
  sink += text.match(/([a-z]+)\s(\d+)\s(of|and|or)\s[^,]+,/g).length;
}

function* countUp(end) {
  for (let i = 0; i < end; i++) yield i;
}

function joinText() {
  let joined = "";
  for (const i of countUp(3000)) joined += String.fromCharCode(97 + (i % 26));
  sink += joined.split("a").length;
}

function countNodes(depth) {
  return depth === 0 ? 1 : countNodes(depth - 1) + countNodes(depth > 1 ? depth - 2 : 0);
}

function countTree() {
  sink += countNodes(19);
}

function serve() {
  for (const work of [parseFormula, encodeOrders, sortOrders, groupOrders, matchText, joinText, countTree]) work();
}

function main() {
  const end = process.argv.length > 2 ? Number(process.argv[2]) * 1e6 : Infinity;
  for (;;) {
    const { user, system } = process.cpuUsage();
    if (user + system >= end) return;
    serve();
  }
}

main();
