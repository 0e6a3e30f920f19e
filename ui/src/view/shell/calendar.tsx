// SPDX-License-Identifier: Apache-2.0
//
// One month as a grid of days. Arrows move by a day, Page Up and Page Down by a month, Enter selects.
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { addDays, addMonths, type CalendarDay, compareDays, weekdayOf, weeksOf } from "../../profile/time/calendar";

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

interface CalendarProps {
  readonly today: CalendarDay;
  readonly from: CalendarDay | null; // the selected range
  readonly to: CalendarDay | null;
  readonly onPick: (day: CalendarDay) => void;
}

const label = ({ year, month, day }: CalendarDay): string => `${day} ${MONTHS[month - 1]} ${year}`;

const STEPS: Readonly<Record<string, (day: CalendarDay) => CalendarDay>> = {
  ArrowLeft: (day) => addDays(day, -1),
  ArrowRight: (day) => addDays(day, 1),
  ArrowUp: (day) => addDays(day, -7),
  ArrowDown: (day) => addDays(day, 7),
  PageUp: (day) => addMonths(day, -1),
  PageDown: (day) => addMonths(day, 1),
  Home: (day) => addDays(day, -weekdayOf(day)),
  End: (day) => addDays(day, 6 - weekdayOf(day)),
};

export function Calendar({ today, from, to, onPick }: CalendarProps): JSX.Element {
  const [cursor, setCursor] = useState(to ?? today);
  const isMovedByKey = useRef(false);
  const grid = useRef<HTMLTableElement>(null);
  useLayoutEffect(() => {
    if (isMovedByKey.current) grid.current?.querySelector<HTMLButtonElement>('button[tabindex="0"]')?.focus();
    isMovedByKey.current = false;
  }, [cursor]);
  const key = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    isMovedByKey.current = true;
    setCursor((at) => step(at));
  };
  const classOf = (day: CalendarDay): string => {
    const isEnd = [from, to].some((end) => end !== null && compareDays(day, end) === 0);
    const isBetween = from !== null && to !== null && compareDays(day, from) > 0 && compareDays(day, to) < 0;
    const place = isEnd ? "end" : isBetween ? "between" : "";
    const isToday = compareDays(day, today) === 0;
    return `${day.month === cursor.month ? "" : "other"} ${place} ${isToday ? "today" : ""}`;
  };
  return (
    <div class="calendar">
      <div class="row">
        <button
          type="button"
          class="button ghost"
          aria-label="Previous month"
          onClick={() => setCursor(addMonths(cursor, -1))}
        >
          ‹
        </button>
        <b class="grow" aria-live="polite">
          {MONTHS[cursor.month - 1]} {cursor.year}
        </b>
        <button
          type="button"
          class="button ghost"
          aria-label="Next month"
          onClick={() => setCursor(addMonths(cursor, 1))}
        >
          ›
        </button>
      </div>
      <table role="grid" aria-label="Days" ref={grid} onKeyDown={key}>
        <thead>
          <tr>
            {WEEKDAYS.map((name) => (
              <th key={name} scope="col" abbr={name}>
                {name.slice(0, 2)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(cursor.year, cursor.month).map((week) => (
            <tr key={label(week[0] ?? cursor)}>
              {week.map((day) => (
                <td key={label(day)} role="gridcell" aria-selected={classOf(day).includes("end")}>
                  <button
                    type="button"
                    class={classOf(day)}
                    tabIndex={compareDays(day, cursor) === 0 ? 0 : -1}
                    aria-label={label(day)}
                    aria-current={compareDays(day, today) === 0 ? "date" : undefined}
                    onClick={() => {
                      setCursor(day);
                      onPick(day);
                    }}
                  >
                    {day.day}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
