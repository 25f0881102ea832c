/** The clock that runs at the table, counted down here between what the table says of it. */
import { html, useEffect, useState } from "/static/vendor/htm-preact.js";
import { get } from "/static/shared/api.js";

const TICK_MS = 250;

/**
 * The time that is left, in minutes and seconds.
 *
 * The table says how much is left, so that a screen whose own clock is wrong shows the same.
 *
 * @param {{words, ends: ?string}} props when it ends by the table's clock: a new time starts the count anew.
 */
export function Countdown({ words, ends }) {
  const [left, setLeft] = useState(null);
  useEffect(() => {
    if (!ends) return setLeft(null);
    let over = Date.parse(ends) - Date.now() + performance.now();
    const tick = () => setLeft(Math.max(0, over - performance.now()));
    const timer = setInterval(tick, TICK_MS);
    tick();
    get("/v1/display").then(({ display }) => {
      if (display?.ends_at_ms !== null && display?.ends_at_ms !== undefined) over = performance.now() + display.ends_at_ms;
    }, () => {});
    return () => clearInterval(timer);
  }, [ends]);
  if (left === null) return null;
  const seconds = Math.ceil(left / 1000);
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return html`<p class="countdown ${seconds <= 30 ? "countdown-short" : ""}" role="timer" aria-label=${words.say("page.dealer.time_left")}>
    ${words.say("page.dealer.time_left")} <strong>${text}</strong>
  </p>`;
}
