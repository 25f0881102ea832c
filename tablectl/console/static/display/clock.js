/** The time of day, and the time that is left, counted here between two messages of the table and set right by each. */
import { html, useEffect, useState } from "/static/vendor/htm-preact.js";
import { T } from "/static/display/speech.js";

const URGENT_S = 60;
const LOOK_MS = 1000;

/** The time of day where the display stands, as 21:07. */
export function TimeOfDay() {
  const [text, setText] = useState(timeOfDay());
  useEffect(() => {
    const timer = setInterval(() => setText(timeOfDay()), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  return html`<time class="time-of-day">${text}</time>`;
}

const timeOfDay = () => new Date().toTimeString().slice(0, 5);

/**
 * Minutes and seconds.
 *
 * @param {{leftMs: number, atMs: number}} props what was left when the table last spoke, and when that was on this
 *   page's own clock, which no change of the time of day moves.
 */
export function Clock({ leftMs, atMs }) {
  const [nowMs, setNowMs] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(performance.now()), 100);
    return () => clearInterval(timer);
  }, []);
  const leftS = Math.max(0, Math.ceil((leftMs - Math.max(0, nowMs - atMs)) / 1000));
  const text = `${Math.floor(leftS / 60)}:${String(leftS % 60).padStart(2, "0")}`;
  return html`<p class="clock ${leftS <= URGENT_S ? "clock-urgent" : ""}" role="timer" aria-live="off">
    <span class="clock-label"><${T} of="page.display.time_left" line /></span>
    <span class="clock-figure">${text}</span>
  </p>`;
}
