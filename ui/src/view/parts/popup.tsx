// SPDX-License-Identifier: Apache-2.0
//
// A non-modal dialog next to its button. Its first field gets the focus. Closing returns the focus to the button, unless
// it has moved elsewhere. Escape and a press outside close it.
import type { ComponentChildren, JSX, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { useOutside } from "./outside";

interface PopupProps {
  readonly label: string;
  readonly class: string;
  readonly anchor: RefObject<HTMLElement>; // contains the button and the popup
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
