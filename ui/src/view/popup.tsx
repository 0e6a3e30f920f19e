// SPDX-License-Identifier: Apache-2.0
//
// A dialog beside the button that opens it; the page stays usable. The focus goes to its first field, and back to the
// button when it closes, unless it is elsewhere by then. Escape and a press elsewhere close it.
import type { ComponentChildren, JSX, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useOutside } from "./outside";

interface PopupProps {
  readonly label: string;
  readonly class: string;
  readonly anchor: RefObject<HTMLElement>; // the button and the popup are in it
  readonly opener: RefObject<HTMLElement>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Popup({ label, class: more, anchor, opener, onClose, children }: PopupProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useOutside(anchor, { onClose });
  useLayoutEffect(() => {
    const popup = box.current;
    const button = opener.current;
    popup?.querySelector<HTMLElement>("input, select, button, a[href]")?.focus();
    return () => {
      if (popup?.contains(document.activeElement) === true) button?.focus();
    };
  }, []);
  return (
    <div class={`popover anchored ${more}`} role="dialog" aria-label={label} ref={box}>
      {children}
    </div>
  );
}
