// SPDX-License-Identifier: Apache-2.0
//
// Selects the form of a name that fits into a box. Character widths are measured once, because measuring every text in
// every frame would take longer than drawing it.
import { displayNames } from "../profile/flame/display_name";

export class TextFitter {
  private readonly ascii = new Float32Array(128);
  private readonly others = new Map<string, number>();
  private readonly forms = new Map<string, readonly (readonly [string, number])[]>();

  constructor(private readonly measure: (text: string) => number) {
    for (let code = 32; code < 127; ++code) this.ascii[code] = measure(String.fromCharCode(code));
  }

  widthOf(text: string): number {
    let sum = 0;
    for (let i = 0; i < text.length; ++i) {
      const code = text.charCodeAt(i);
      sum += code < 128 ? (this.ascii[code] ?? 0) : this.widthOfOther(text.charAt(i));
    }
    return sum;
  }

  // The longest form that fits, or else the truncated shortest one; "" below two letters.
  fit(name: string, room: number): string {
    let forms = this.forms.get(name);
    if (forms === undefined) {
      forms = displayNames(name).map((form) => [form, this.widthOf(form)] as const);
      if (this.forms.size > 50_000) this.forms.clear();
      this.forms.set(name, forms);
    }
    for (const [form, width] of forms) if (width <= room) return form;
    return this.cut(forms.at(-1)?.[0] ?? "", room);
  }

  private cut(text: string, room: number): string {
    let left = room - this.widthOf("…");
    let length = 0;
    for (; length < text.length; ++length) {
      left -= this.widthOf(text.charAt(length));
      if (left < 0) break;
    }
    return length < 2 ? "" : `${text.slice(0, length)}…`;
  }

  private widthOfOther(character: string): number {
    const known = this.others.get(character);
    if (known !== undefined) return known;
    const width = this.measure(character);
    this.others.set(character, width);
    return width;
  }
}
