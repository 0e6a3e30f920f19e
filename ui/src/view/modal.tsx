// SPDX-License-Identifier: Apache-2.0
//
// A dialog over the page. The browser keeps the focus in it, closes it on Escape, and gives the focus back afterwards.
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface ModalProps {
  readonly label: string;
  readonly class?: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

// The backdrop is part of the dialog: a press on it is one on the dialog itself, outside of its box.
function isOnBackdrop(event: MouseEvent): boolean {
  if (!(event.currentTarget instanceof HTMLElement) || event.target !== event.currentTarget) return false;
  const { left, right, top, bottom } = event.currentTarget.getBoundingClientRect();
  return event.clientX < left || event.clientX > right || event.clientY < top || event.clientY > bottom;
}

export function Modal({ label, class: more = "", onClose, children }: ModalProps): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  const isPressedOutside = useRef(false); // a selection that began in the dialog and ends outside does not close it
  useLayoutEffect(() => {
    const dialog = box.current;
    dialog?.showModal();
    return () => dialog?.close(); // while it is still in the page: only then the focus goes back
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
      // The keys of the page behind it rest; those with Ctrl, such as Ctrl+K, are for all pages.
      onKeyDown={(event) => !event.ctrlKey && !event.metaKey && event.stopPropagation()}
    >
      {children}
    </dialog>
  );
}
