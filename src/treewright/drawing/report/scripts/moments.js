// Dates, times and durations: as text, and from text.

import { number } from "./numbers.js";

export const MOMENTS = new Set(["date", "datetime"]);

export function momentWords(value, timezone) {
  const us = Math.floor(value);
  const ms = Math.floor(us / 1000);
  const moment = new Date(ms);
  if (Number.isNaN(moment.getTime())) return `${number(value)} microseconds`;
  const part = us - ms * 1000 + (((ms % 1000) + 1000) % 1000) * 1000;
  const tail = part ? `.${String(part).padStart(6, "0")}` : "";
  const [shift, offset] = timezone ? zoneShift(ms, timezone) : [0, ""];
  const wall = new Date(ms + shift).toISOString().replace(/\.\d+Z$/, "");
  return `${wall}${tail}${offset}`.replace(/T00:00:00$/, "");
}

// The offset of a time zone from UTC at a moment, in ms and as "+01:00".
export function zoneShift(ms, timezone) {
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    const part = Object.fromEntries(
      format.formatToParts(new Date(ms)).map((each) => [each.type, Number(each.value)]),
    );
    const wall = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second);
    const shift = wall - Math.floor(ms / 1000) * 1000;
    const minutes = Math.abs(Math.round(shift / 60000));
    const two = (n) => String(n).padStart(2, "0");
    const sign = shift < 0 ? "-" : "+";
    return [shift, `${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`];
  } catch {
    return [0, "+00:00"];
  }
}

const DAY = 86400e6;
const UNITS = { month: DAY, day: DAY, hour: 3600e6, minute: 60e6, second: 1e6 };

// The last whole day, hour or other unit of a column of moments that is not after a value,
// and the next one after it. The days of a time zone begin at its own midnight.
export function momentBelow(column, value) {
  return wholeMoment(column, value, 0);
}

export function momentAbove(column, value) {
  return wholeMoment(column, value, 1);
}

function wholeMoment(column, value, ahead) {
  const { grain, timezone } = column;
  const isLocal = UNITS[grain] === DAY && timezone && timezone !== "UTC";
  const shift = (us) => (isLocal ? zoneShift(Math.floor(us / 1000), timezone)[0] * 1000 : 0);
  const here = value + shift(value);
  // Clocks that are put across midnight repeat a date, or begin it late.
  for (const n of ahead ? [0, 1, 2] : [1, 0, -1]) {
    const begun = firstAt(wholeWall(grain, here, n), shift);
    if (ahead ? begun > value : begun <= value) return begun;
  }
  return value;
}

// The clock time at which the unit of a clock time begins, or the n-th unit after it.
function wholeWall(grain, here, n) {
  if (grain !== "month") return (Math.floor(here / UNITS[grain]) + n) * UNITS[grain];
  const moment = new Date(Math.floor(here / 1000));
  return Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + n, 1) * 1000;
}

// The moment at which clocks show a time. Of two such moments the first counts; if clocks skip
// the time, the shift before the change counts. Python reads a datetime of fold 0 likewise.
function firstAt(wall, shift) {
  const about = wall - shift(wall);
  const two = [-12, 12].map((h) => wall - shift(about + h * 3600e6)).sort((a, b) => a - b);
  // Clocks are put forward to a larger shift: the one before gives the later moment.
  return two.find((us) => us + shift(us) === wall) ?? two[1];
}

export function durationWords(value) {
  const day = DAY;
  const us = Math.floor(value);
  const days = Math.floor(us / day);
  let rest = us - days * day;
  const part = rest % 1e6;
  rest = Math.floor(rest / 1e6);
  const two = (n) => String(n).padStart(2, "0");
  const clock = `${Math.floor(rest / 3600)}:${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
  const tail = part ? `.${String(part).padStart(6, "0")}` : "";
  const ahead = days ? `${days} day${Math.abs(days) === 1 ? "" : "s"}, ` : "";
  return ahead + clock + tail;
}

export function readMoment(text, timezone) {
  const form =
    /^([+-]?\d{4,6})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d\d:?\d\d)?$/i;
  const found = form.exec(text);
  if (!found) return null;
  const [, year, month, day, hour = 0, minute = 0, second = 0, part = "", zone] = found;
  const wall = Date.UTC(2000, month - 1, day, hour, minute, second);
  const date = new Date(wall);
  date.setUTCFullYear(Number(year), month - 1, day);
  if (date.getUTCDate() !== Number(day) || month < 1 || month > 12) return null;
  let ms = date.getTime();
  if (zone && !/z/i.test(zone)) {
    const sign = zone[0] === "-" ? -1 : 1,
      digits = zone.replace(/\D/g, "");
    ms -= sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * 60000;
  } else if (!zone && timezone) {
    const guess = ms - zoneShift(ms, timezone)[0];
    ms -= zoneShift(guess, timezone)[0];
  }
  return ms * 1000 + Number(part.padEnd(6, "0").slice(0, 6));
}

export function readDuration(text) {
  const found = /^(?:([+-]?\d+)\s*days?,?\s*)?(?:(\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?)?$/i.exec(text);
  if (!found || !(found[1] || found[2])) return null;
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = found;
  return Math.round(
    ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60e6 + Number(seconds) * 1e6,
  );
}
