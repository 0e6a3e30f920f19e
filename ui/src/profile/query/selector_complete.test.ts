// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { complete, operatorsFor, type Place, placeAt, rank } from "./selector_complete";

// The cursor is where the bar is.
function at(marked: string): { text: string; place: Place } {
  const cursor = marked.indexOf("|");
  const text = marked.replace("|", "");
  return { text, place: placeAt(text, cursor) };
}

function chosen(marked: string, choice: string): string {
  const { text, place } = at(marked);
  const done = complete(text, place, choice);
  return `${done.text.slice(0, done.cursor)}|${done.text.slice(done.cursor)}`;
}

describe("cursor of a selector", () => {
  it.each([
    ["|", "key", ""],
    ["{|", "key", ""],
    ["{host.na|", "key", "host.na"],
    ["host|", "key", "host"],
    ['{a="b",|', "key", ""],
    ['{a="b", ho|}', "key", "ho"],
    ["{host.name=|", "operator", "="],
    ["{host.name |", "operator", ""],
    ["{host.name!|", "operator", "!"],
    ['{host.name="|', "value", ""],
    ['{host.name="we|"}', "value", "we"],
    ['{host.name=~"we|b"}', "value", "we"],
    ['{a="x\\"y|"}', "value", 'x\\"y'],
    ['{a="b"|}', "none", ""],
    ['{a="b"}|', "none", ""],
  ])("%s is at a %s", (marked, kind, typed) => {
    expect(at(marked).place).toMatchObject({ kind, typed });
  });
  it("returns the key of a value, and the other matchers", () => {
    expect(at('{service.name="cart",host.name="|",zone!="a,b"}').place).toMatchObject({
      kind: "value",
      key: "host.name",
      others: '{service.name="cart",zone!="a,b"}',
    });
    expect(at('{service.name="cart",broken,host|').place.others).toBe('{service.name="cart"}');
  });
});

describe("completion", () => {
  it("adds braces, operator and quotes", () => {
    expect(chosen("ho|", "host.name")).toBe('{host.name="|"}');
    expect(chosen("{ho|", "host.name")).toBe('{host.name="|"}');
    expect(chosen('{a="b",ho|}', "host.name")).toBe('{a="b",host.name="|"}');
    expect(chosen('{host.name="we|', "web-1")).toBe('{host.name="web-1"|}');
    expect(chosen('{host.name="we|"}', "web-1")).toBe('{host.name="web-1"|}');
    expect(chosen('{a="|",b="c"}', 'x"y')).toBe('{a="x\\"y"|,b="c"}');
  });
  it("keeps existing text", () => {
    expect(chosen('{ho|="web-1"}', "host.name")).toBe('{host.name|="web-1"}');
    expect(chosen('{host.name|="web-1"}', "host.id")).toBe('{host.id|="web-1"}');
    expect(chosen('{host.name=|"web-1"}', "=~")).toBe('{host.name=~"|web-1"}');
    expect(chosen("{host.name |", "!=")).toBe('{host.name !="|"}');
  });
  it("ranks prefix matches first", () => {
    expect(rank(["my.host", "host.name", "host.id", "zone"], "host", 10)).toEqual(["host.name", "host.id", "my.host"]);
    expect(rank(["a", "b", "c"], "", 2)).toEqual(["a", "b"]);
    expect(operatorsFor("!")).toEqual(["!=", "!~"]);
    expect(operatorsFor("")).toEqual(["=", "!=", "=~", "!~"]);
  });
});
