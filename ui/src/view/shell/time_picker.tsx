// SPDX-License-Identifier: Apache-2.0
//
// The time range of all pages: relative ranges by name, others by calendar or as text, in local time or UTC.
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { REFRESH_INTERVALS } from "../../profile/time/auto_refresh";
import { type CalendarDay, compareDays, dayOf, endOf, startOf } from "../../profile/time/calendar";
import { applyDraft, draftOf, inZone, linkTimeOf } from "../../profile/time/range_draft";
import { describeRange, parseTime, RANGE_PRESETS } from "../../profile/time/time_range";
import { formatDateTime, type TimeZone } from "../../profile/time/time_zone";
import {
  heldBecause,
  isRelative,
  refreshIntervalS,
  refreshNow,
  setRefreshInterval,
  useAutoRefresh,
  useRefreshHold,
} from "../../state/auto_refresh";
import { nowMs, range, update, urlState } from "../../state/location";
import { setTimeZone, timeZone } from "../../state/time_zone";
import { Icon } from "../parts/icons";
import { Popup } from "../parts/popup";
import { Calendar } from "./calendar";

function choose(from: string, to: string): void {
  update({ from, to });
  refreshNow();
}

export function TimeRange(): JSX.Element {
  const { from, to } = urlState.value;
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const anchor = useRef<HTMLDivElement>(null);
  useRefreshHold(isOpen ? "the time picker is open" : "");
  const shift = (part: number): void => {
    const span = range.value.to - range.value.from;
    choose(String(Math.round(range.value.from + span * part)), String(Math.round(range.value.to + span * part)));
  };
  const isAbsolute = to !== "now";
  return (
    <div class="anchor row tight" ref={anchor}>
      <button type="button" class="button ghost" aria-label="Earlier" title="Earlier" onClick={() => shift(-1)}>
        ‹
      </button>
      <button
        type="button"
        class="button"
        aria-expanded={isOpen}
        aria-haspopup="dialog"
        ref={opener}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="clock" /> {describeRange(from, to, nowMs.value, timeZone.value)}
        {isAbsolute && timeZone.value === "utc" ? " UTC" : ""}
      </button>
      <button type="button" class="button ghost" aria-label="Later" title="Later" onClick={() => shift(1)}>
        ›
      </button>
      {isOpen && (
        <Popup label="Time range" class="time-picker" anchor={anchor} opener={opener} onClose={() => setOpen(false)}>
          <Picker
            onDone={(start, end) => {
              setOpen(false);
              choose(start, end);
            }}
          />
        </Popup>
      )}
    </div>
  );
}

function Picker({ onDone }: { readonly onDone: (from: string, to: string) => void }): JSX.Element {
  const { from, to } = urlState.value;
  const zone = timeZone.value;
  const [draft, setDraft] = useState({ from: draftOf(from, zone), to: draftOf(to, zone) });
  const [first, setFirst] = useState<CalendarDay | null>(null); // set while only one end is selected
  const now = Date.now();
  const { range: typed, error } = applyDraft(draft, { from, to }, zone, now);
  const dayOfText = (text: string): CalendarDay | null => {
    const ms = parseTime(linkTimeOf(text, zone) ?? "", now);
    return ms === null ? null : dayOf(ms, zone);
  };
  const pick = (day: CalendarDay): void => {
    const isSecond = first !== null && compareDays(day, first) >= 0;
    setFirst(isSecond ? null : day);
    setDraft({
      from: isSecond ? draft.from : formatDateTime(startOf(day, zone), zone),
      to: formatDateTime(endOf(day, zone), zone),
    });
  };
  const field = (side: "from" | "to", label: string): JSX.Element => (
    <label class="field">
      {label}
      <input
        type="text"
        spellcheck={false}
        value={draft[side]}
        onInput={(event) => setDraft({ ...draft, [side]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed !== null) onDone(typed.from, typed.to);
        }}
      >
        {field("from", "From")}
        {field("to", "To")}
        {error === "" ? (
          <div class="faint">Date and time, relative (now-2h), ISO 8601 or Unix time</div>
        ) : (
          <div class="bad-text" role="alert">
            {error}
          </div>
        )}
        <Calendar
          today={dayOf(now, zone)}
          from={dayOfText(draft.from)}
          to={first ?? dayOfText(draft.to)}
          onPick={pick}
        />
        <div class="row">
          <ZoneChoice
            onChoose={(chosen) => {
              setDraft(inZone(draft, zone, chosen));
              setTimeZone(chosen);
            }}
          />
          <button type="submit" class="button primary" disabled={typed === null}>
            Apply
          </button>
        </div>
      </form>
      <div class="presets" role="group" aria-label="Relative ranges">
        {RANGE_PRESETS.map(([begin, name]) => (
          <button
            type="button"
            key={begin}
            class={`menu-item ${from === begin && to === "now" ? "current" : ""}`}
            onClick={() => onDone(begin, "now")}
          >
            {name}
          </button>
        ))}
      </div>
    </>
  );
}

function ZoneChoice({ onChoose }: { readonly onChoose: (zone: TimeZone) => void }): JSX.Element {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <select
      class="grow"
      aria-label="Time zone"
      value={timeZone.value}
      onChange={(event) => onChoose(event.currentTarget.value === "utc" ? "utc" : "local")}
    >
      <option value="local">Browser ({name})</option>
      <option value="utc">UTC</option>
    </select>
  );
}

// Manual refresh, and automatic refresh at an interval if the range ends now.
export function Refresh(): JSX.Element {
  useAutoRefresh();
  const interval = refreshIntervalS.value;
  const reason = heldBecause.value;
  return (
    <span class="row tight">
      <button type="button" class="button" title="Refresh (R)" aria-label="Refresh" onClick={refreshNow}>
        <Icon name="refresh" />
      </button>
      {isRelative.value && (
        <select
          class={`refresh ${interval > 0 && reason !== "" ? "paused" : ""}`}
          aria-label="Auto-refresh"
          title={
            interval === 0
              ? "Auto-refresh is off"
              : reason === ""
                ? "Auto-refresh"
                : `Auto-refresh is paused while ${reason}`
          }
          value={String(interval)}
          onChange={(event) => setRefreshInterval(Number(event.currentTarget.value))}
        >
          {REFRESH_INTERVALS.map(([seconds, name]) => (
            <option key={seconds} value={String(seconds)}>
              {name}
            </option>
          ))}
        </select>
      )}
      {isRelative.value && interval > 0 && reason !== "" && (
        <span class="chip" role="status" title={`Auto-refresh is paused while ${reason}`}>
          Paused
        </span>
      )}
    </span>
  );
}
