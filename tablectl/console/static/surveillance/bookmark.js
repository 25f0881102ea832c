/** A mark on this moment, or on one event, so that it is found again: everybody who watches sees it. */
import { html, useEffect, useRef, useState } from "/static/vendor/htm-preact.js";
import { ask } from "/static/shared/api.js";
import { explainError } from "/static/surveillance/speech.js";

export function Bookmark({ words, live, marked, mark }) {
  const [note, setNote] = useState("");
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const field = useRef(null);
  const say = (key, values) => words.say(`page.surveillance.${key}`, values);
  useEffect(() => marked && field.current?.focus(), [marked]);
  const set = async (event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    try {
      const fields = marked ? { note, sequence: marked } : { note };
      const answer = await ask("bookmark", fields, live.state);
      setSaid(answer.accepted ? say("bookmark_set", { record: answer.record }) : words.pick(answer.refused.text));
      if (answer.accepted) setNote("");
      if (answer.accepted) mark(null);
    } catch (error) {
      setSaid(explainError(words, error));
    } finally {
      setBusy(false);
    }
  };
  return html`<form class="box bookmark" onSubmit=${set}>
    <h2>${say("bookmark")}</h2>
    <p class="faint">
      ${marked ? say("marks_event", { sequence: marked }) : say("marks_now")}
      ${marked && html` <button type="button" class="link" onClick=${() => mark(null)}>${say("mark_now")}</button>`}
    </p>
    <label>${say("note")}
      <input ref=${field} value=${note} required maxlength="500" onInput=${(event) => setNote(event.target.value)} />
    </label>
    <button class="button" aria-disabled=${busy || !live.state || !note.trim()}>${say("set_bookmark")}</button>
    <p role="status">${said}</p>
  </form>`;
}
