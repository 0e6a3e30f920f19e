// SPDX-License-Identifier: Apache-2.0
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Outside {
  readonly isOpen?: boolean;
  readonly onClose: (by: "key" | "pointer") => void;
}

// Closes a popup on a press outside the element, and on Escape, whose event is consumed.
export function useOutside(box: RefObject<HTMLElement>, { isOpen = true, onClose }: Outside): void {
  const latest = useRef(onClose);
  latest.current = onClose;
  useLayoutEffect(() => {
    if (!isOpen) return;
    const press = (event: Event): void => {
      if (event.target instanceof Node && box.current?.contains(event.target) !== true) latest.current("pointer");
    };
    const key = (event: KeyboardEvent): void => {
      const isInDialogAbove = event.target instanceof Element && event.target.closest("dialog") !== null;
      if (event.key !== "Escape" || isInDialogAbove) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current("key");
    };
    document.addEventListener("pointerdown", press, true);
    document.addEventListener("keydown", key, true);
    return () => {
      document.removeEventListener("pointerdown", press, true);
      document.removeEventListener("keydown", key, true);
    };
  }, [isOpen, box]);
}
