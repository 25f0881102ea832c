/** Whether everything that was stored has come out: said in words, with the numbers. */
import { html } from "/static/vendor/htm-preact.js";
import { dayAndTime } from "/static/surveillance/speech.js";

/** So long an event may be on its way to the broker: the table says how far it has come every 5 s. */
const OUT_WITHIN_MS = 7_000;

/** So long an event may wait for a signed checkpoint, which comes every 5 s and is told 5 s later at most. */
const SIGNED_WITHIN_MS = 15_000;

/**
 * How far the events have come, and since when the oldest one that was waited for is on its way.
 *
 * @param {object|null} before what this said of the message before.
 * @param {{stored: number, published: number, checkpoint: number, connected: boolean}} feed
 * @param {number} nowMs on this page's own clock, which no change of the time of day moves.
 */
export function watched(before, feed, nowMs) {
  return {
    ...feed,
    atMs: nowMs,
    out: waiting(before?.out, feed.published, feed.stored, nowMs),
    signed: waiting(before?.signed, feed.checkpoint, feed.stored, nowMs),
  };
}

function waiting(before, reached, stored, nowMs) {
  if (reached >= stored) return null;
  return before && reached < before.upto ? before : { upto: stored, sinceMs: nowMs };
}

/** "away", "behind" or "complete". */
export function judged({ connected, out, signed, atMs }) {
  if (!connected) return "away";
  const late = (wait, withinMs) => wait !== null && atMs - wait.sinceMs > withinMs;
  return late(out, OUT_WITHIN_MS) || late(signed, SIGNED_WITHIN_MS) ? "behind" : "complete";
}

/**
 * Since when this page has seen every event, each number after the one before.
 *
 * @param {{since: string, first: number, last: number}|null} before
 * @param {number[]} numbers of the events that came.
 * @param {string} now the time of day, for people.
 */
export function unbroken(before, numbers, now) {
  return numbers.reduce(
    (whole, number) => (whole && number === whole.last + 1 ? { ...whole, last: number } : { since: now, first: number, last: number }),
    before,
  );
}

/** The time alone, where it was today. */
const sinceToday = (since) => dayAndTime(since).replace(`${new Date().toISOString().slice(0, 10)} `, "");

export function Lamp({ words, feed, whole }) {
  if (!feed) return null;
  const state = judged(feed);
  const colour = { away: "bad", behind: "warn", complete: "good" }[state];
  const say = (key, values) => words.say(`page.surveillance.feed.${key}`, values);
  return html`<p class="completeness" role="status">
    <span class="lamp lamp-${colour}">${say(state)}</span>
    <span class="faint">${say("numbers", feed)}</span>
    ${whole && html`<span class="faint">${say("no_gaps", { since: sinceToday(whole.since), first: whole.first })}</span>`}
  </p>`;
}
