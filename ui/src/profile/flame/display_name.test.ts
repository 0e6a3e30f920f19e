// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { displayNames } from "./display_name";

describe("long names", () => {
  it("drop arguments, then templates, then namespaces", () => {
    expect(displayNames("shop::Map<int, std::string>::insert(int)")).toEqual([
      "shop::Map<int, std::string>::insert(int)",
      "shop::Map<int, std::string>::insert",
      "shop::Map::insert",
      "Map::insert",
      "insert",
    ]);
    expect(displayNames("crypto/tls.(*Conn).Write").at(-1)).toBe("Write");
    expect(displayNames("std::ostream::operator<<(int)")).toContain("operator<<");
    expect(displayNames("main")).toEqual(["main"]);
    expect(displayNames("pkg/glob..func1.115").at(-1)).toBe("func1.115");
  });
});
