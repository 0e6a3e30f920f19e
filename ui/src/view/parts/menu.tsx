// SPDX-License-Identifier: Apache-2.0
//
// Menus: at a point, or below the button that opens them. Arrows, Home, End and letters move between items
// (src/state/menu_keys.ts); Tab closes the menu.
import type { ComponentChildren, JSX, RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { itemFor } from "../../state/menu_keys";
import { useOutside } from "./outside";

export interface MenuEntry {
  readonly label: string;
  readonly id?: string; // if labels are not unique
  readonly content?: ComponentChildren; // shown instead of the label
  readonly key?: string; // keyboard shortcut of the same action
  readonly title?: string;
  readonly link?: { readonly href: string; readonly download: string };
  readonly run: (event?: Event) => void;
}

interface MenuProps {
  readonly entries: readonly MenuEntry[];
  readonly label: string;
  readonly class?: string;
  readonly style?: JSX.CSSProperties;
  readonly note?: ComponentChildren; // below the items
  readonly first?: "first" | "last"; // the item that gets the focus
  readonly anchor?: RefObject<HTMLElement>; // a press in it does not close the menu; default: the menu
  readonly onClose: (isFocusBack: boolean) => void; // isFocusBack: restore the focus
}

const itemsOf = (box: HTMLElement | null): HTMLElement[] => [
  ...(box?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []),
];

export function Menu(props: MenuProps): JSX.Element {
  const { entries, onClose } = props;
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(props.first === "last" ? entries.length - 1 : 0);
  useLayoutEffect(() => itemsOf(box.current)[at]?.focus(), [at]);
  useOutside(props.anchor ?? box, { onClose: (by) => onClose(by === "key") });
  const press = (event: KeyboardEvent): void => {
    if (event.key === "Tab") {
      onClose(true); // the browser then moves the focus from there
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const items = itemsOf(box.current);
    const next = itemFor(
      event.key,
      at,
      items.map((item) => item.textContent ?? ""),
    );
    if (next !== null) setAt(next);
    else if (event.key === " ") items[at]?.click();
    else if (event.key !== "Enter") return;
    if (event.key !== "Enter") event.preventDefault(); // Enter clicks the item
    event.stopPropagation();
  };
  return (
    <div
      class={`popover ${props.class ?? ""}`}
      style={props.style}
      role="menu"
      aria-label={props.label}
      tabIndex={-1}
      ref={box}
      onKeyDown={press}
    >
      {entries.map((entry, i) => (
        <Item
          key={entry.id ?? entry.label}
          entry={entry}
          isCurrent={i === at}
          onFocus={() => setAt(i)}
          onChoose={(event) => {
            onClose(true);
            entry.run(event);
          }}
        />
      ))}
      {props.note}
    </div>
  );
}

interface ItemProps {
  readonly entry: MenuEntry;
  readonly isCurrent: boolean;
  readonly onFocus: () => void;
  readonly onChoose: (event: Event) => void;
}

function Item({ entry, isCurrent, onFocus, onChoose }: ItemProps): JSX.Element {
  const content = entry.content ?? (
    <>
      {entry.label} {entry.key !== undefined && <kbd>{entry.key}</kbd>}
    </>
  );
  const common = { class: "menu-item", role: "menuitem", tabIndex: isCurrent ? 0 : -1, title: entry.title } as const;
  return entry.link === undefined ? (
    <button type="button" {...common} onFocus={onFocus} onClick={onChoose}>
      {content}
    </button>
  ) : (
    <a {...common} href={entry.link.href} download={entry.link.download} onFocus={onFocus} onClick={onChoose}>
      {content}
    </a>
  );
}

interface MenuButtonProps extends Pick<MenuProps, "label" | "class"> {
  readonly button: ComponentChildren;
  readonly buttonClass?: string;
  readonly title?: string;
  readonly entries: () => readonly MenuEntry[]; // called while the menu is open
  readonly note?: (count: number) => ComponentChildren; // shown below `count` items
}

export function MenuButton(props: MenuButtonProps): JSX.Element {
  const [open, setOpen] = useState<"first" | "last" | null>(null);
  const anchor = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const entries = open === null ? [] : props.entries();
  return (
    <div class="anchor" ref={anchor}>
      <button
        type="button"
        class={`button ${props.buttonClass ?? ""}`}
        title={props.title}
        aria-haspopup="menu"
        aria-expanded={open !== null}
        ref={opener}
        onClick={() => setOpen(open === null ? "first" : null)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          event.stopPropagation();
          setOpen(event.key === "ArrowDown" ? "first" : "last");
        }}
      >
        {props.button}
      </button>
      {open !== null && (
        <Menu
          label={props.label}
          class={`anchored ${props.class ?? ""}`}
          entries={entries}
          note={props.note?.(entries.length)}
          first={open}
          anchor={anchor}
          onClose={(isFocusBack) => {
            setOpen(null);
            if (isFocusBack) opener.current?.focus();
          }}
        />
      )}
    </div>
  );
}
