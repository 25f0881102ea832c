/** Whether everything that was stored has come out: said in words, with the numbers. */
import { html } from "/static/vendor/htm-preact.js";

export function Lamp({ words, feed }) {
  if (!feed) return null;
  const state = !feed.connected ? "away" : feed.published < feed.stored || feed.checkpoint < feed.stored ? "behind" : "complete";
  const colour = { away: "bad", behind: "warn", complete: "good" }[state];
  return html`<p class="completeness" role="status">
    <span class="lamp lamp-${colour}">${words.say(`page.surveillance.feed.${state}`)}</span>
    <span class="faint">${words.say("page.surveillance.feed.numbers", feed)}</span>
  </p>`;
}
