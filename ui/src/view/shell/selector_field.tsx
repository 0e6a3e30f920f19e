// SPDX-License-Identifier: Apache-2.0
//
// The selector field of all pages, with completion of keys, operators and values, and a label browser.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AttributeKeys, AttributeValues } from "../../api/types";
import { parseSelector } from "../../profile/query/selector";
import {
  complete,
  OPERATOR_NAMES,
  operatorsFor,
  type Place,
  placeAt,
  rank,
} from "../../profile/query/selector_complete";
import { update, urlState } from "../../state/location";
import { useApi } from "../../state/resource";
import { useOutside } from "../parts/outside";
import { Popup } from "../parts/popup";
import { LabelBrowser, labelScope } from "./label_browser";

const SHOWN_MAX = 50;

interface Choice {
  readonly text: string;
  readonly note: string;
}

function useChoices(place: Place | null): readonly Choice[] {
  const keys = useApi<AttributeKeys>(
    place?.kind === "key" ? "attrs" : null,
    place === null ? [] : labelScope(place.others),
  );
  const isValue = place?.kind === "value";
  const values = useApi<AttributeValues>(
    isValue && place.key !== "" ? "attr-values" : null,
    place === null ? [] : [...labelScope(place.others), ["key", place.key], ["limit", "1000"]],
  );
  if (place === null) return [];
  if (place.kind === "operator")
    return operatorsFor(place.typed).map((text) => ({ text, note: OPERATOR_NAMES[text] ?? "" }));
  if (place.kind === "value")
    return rank(values.data?.values ?? [], place.typed, SHOWN_MAX).map((text) => ({ text, note: "" }));
  if (place.kind !== "key") return [];
  const known = new Map((keys.data?.keys ?? []).map((key) => [key.key, key]));
  return rank([...known.keys()], place.typed, SHOWN_MAX).map((text) => {
    const count = known.get(text)?.value_count ?? 0;
    return { text, note: `${count} ${count === 1 ? "value" : "values"}` };
  });
}

const reveal = (row: HTMLElement | null): void => row?.scrollIntoView({ block: "nearest" });

export function SelectorField(): JSX.Element {
  const { q } = urlState.value;
  const [draft, setDraft] = useState(q);
  const [cursor, setCursor] = useState<number | null>(null); // null: the list is closed
  const [at, setAt] = useState(-1);
  const [isBrowsing, setBrowsing] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const moveTo = useRef<number | null>(null);
  useEffect(() => setDraft(q), [q]);
  useLayoutEffect(() => {
    if (moveTo.current === null) return;
    input.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = null;
  });
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useOutside(box, { isOpen: cursor !== null, onClose: () => setCursor(null) });
  const place = cursor === null ? null : placeAt(draft, cursor);
  const choices = useChoices(place);
  const apply = (text: string): void => {
    setCursor(null);
    if (text.trim() !== q) update({ q: text.trim(), z: "", zn: "" });
  };
  const follow = (): void => {
    setCursor(input.current?.selectionStart ?? 0);
    setAt(-1);
  };
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined || place === null) return;
    const done = complete(draft, place, choice.text);
    setDraft(done.text);
    setCursor(done.cursor);
    setAt(-1);
    moveTo.current = done.cursor;
    input.current?.focus();
  };
  const isOpen = cursor !== null && choices.length > 0;
  const key = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown" && cursor === null) follow();
    else if (event.key === "ArrowDown" && isOpen) setAt((at + 1) % choices.length);
    else if (event.key === "ArrowUp" && isOpen) setAt((at + choices.length - (at < 0 ? 0 : 1)) % choices.length);
    else if (event.key === "Enter") isOpen && at >= 0 ? choose(choices[at]) : apply(draft);
    else return;
    event.preventDefault();
  };
  const isBroken = draft.trim() !== "" && cursor === null && parseSelector(draft) === null;
  return (
    <div class="anchor selector-field" ref={box}>
      <input
        class="selector"
        type="text"
        role="combobox"
        aria-label="Selector"
        aria-expanded={isOpen}
        aria-controls="selector-list"
        aria-autocomplete="list"
        aria-activedescendant={at >= 0 ? `selector-${at}` : undefined}
        aria-invalid={isBroken}
        placeholder='{host.name="web-1"}'
        spellcheck={false}
        autocomplete="off"
        value={draft}
        ref={input}
        onInput={(event) => {
          setDraft(event.currentTarget.value);
          follow();
        }}
        onClick={follow}
        onKeyDown={key}
        onKeyUp={(event) =>
          cursor !== null && ["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key) && follow()
        }
        onBlur={(event) =>
          !(event.relatedTarget instanceof Node && box.current?.contains(event.relatedTarget)) && apply(draft)
        }
      />
      <button
        type="button"
        class="button ghost"
        aria-label="Labels"
        title="Browse labels and their values"
        aria-expanded={isBrowsing}
        aria-haspopup="dialog"
        ref={opener}
        onClick={() => {
          setCursor(null);
          setBrowsing(!isBrowsing);
        }}
      >
        {"{ }"}
      </button>
      <div
        id="selector-list"
        role="listbox"
        aria-label="Completions"
        class={isOpen ? "popover anchored completions" : "visually-hidden"}
      >
        {isOpen &&
          choices.map((choice, i) => (
            <div
              key={choice.text}
              id={`selector-${i}`}
              role="option"
              aria-selected={i === at}
              class={`menu-item ${i === at ? "chosen" : ""}`}
              ref={i === at ? reveal : null}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(choice)}
            >
              <span class="mono clip">{choice.text}</span> <span class="faint">{choice.note}</span>
            </div>
          ))}
      </div>
      {isBrowsing && (
        <Popup label="Labels" class="label-browser" anchor={box} opener={opener} onClose={() => setBrowsing(false)}>
          <LabelBrowser onClose={() => setBrowsing(false)} />
        </Popup>
      )}
    </div>
  );
}
