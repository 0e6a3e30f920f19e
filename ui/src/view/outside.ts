// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from "preact/hooks";

// Closes what belongs to the element on a click elsewhere and on Escape.
export function useOutside(onClose: () => void): { current: HTMLDivElement | null } {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(onClose);
  latest.current = onClose;
  useEffect(() => {
    const outside = (event: Event): void => {
      if (event.target instanceof Node && box.current?.contains(event.target) !== true) latest.current();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") latest.current();
    };
    document.addEventListener("pointerdown", outside);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("keydown", onKey);
    };
  }, []);
  return box;
}
