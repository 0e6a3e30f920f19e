// SPDX-License-Identifier: Apache-2.0
//
// A modal dialog. The browser traps the focus in it, closes it on Escape, and restores the focus afterwards.
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface ModalProps {
  readonly label: string;
  readonly class?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

// A press on the backdrop targets the dialog, but lies outside its box.
function isOnBackdrop(event: MouseEvent): boolean {
  if (!(event.currentTarget instanceof HTMLElement) || event.target !== event.currentTarget) return false;
  const { left, right, top, bottom } = event.currentTarget.getBoundingClientRect();
  return event.clientX < left || event.clientX > right || event.clientY < top || event.clientY > bottom;
}

export function Modal({ label, class: more = "", onClose, children }: ModalProps): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  const isPressedOutside = useRef(false); // a drag from inside the dialog to the outside does not close it
  useLayoutEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close(); // while still in the document: only then is the focus restored
  }, []);
  return (
    <dialog
      class={`dialog ${more}`}
      aria-label={label}
      ref={box}
      onClose={(event) => event.currentTarget.isConnected && onClose()}
      onPointerDown={(event) => {
        isPressedOutside.current = isOnBackdrop(event);
      }}
      onClick={(event) => isPressedOutside.current && isOnBackdrop(event) && onClose()}
      // Shortcuts of the page are disabled, except those with Ctrl, such as Ctrl+K.
      onKeyDown={(event) => !event.ctrlKey && !event.metaKey && event.stopPropagation()}
    >
      {children}
    </dialog>
  );
}
