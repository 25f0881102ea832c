/** A search field that asks when the typing pauses. */
import { html, useEffect, useState } from "/static/vendor/htm-preact.js";

const PAUSE_MS = 300;

export function Search({ words, found }) {
  const [text, setText] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => found(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return html`<label class="search">${words.say("page.surveillance.search")}
    <input type="search" value=${text} maxlength="100" onInput=${(event) => setText(event.target.value)} />
  </label>`;
}
