/** The door: a name and a PIN, at a desk with a keyboard. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { signOn } from "/static/shared/api.js";
import { Languages } from "/static/shared/parts.js";
import { explainError } from "/static/surveillance/speech.js";

export function SignOn({ words, layout, other, entered }) {
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const say = (key, values) => words.say(`page.surveillance.${key}`, values);
  const enter = async (event) => {
    event.preventDefault();
    const form = new FormData(event.target);
    setBusy(true);
    try {
      entered(await signOn(form.get("person"), form.get("pin")));
    } catch (failed) {
      setError(failed);
    }
    setBusy(false);
  };
  return html`<main class="door">
    <header><h1>${say("title")} <span class="faint">${layout.site}/${layout.table}</span></h1><${Languages} words=${words} /></header>
    ${other && html`<p>${say("for_watchers", { person: other.person, role: words.say(`role.${other.role}`) })}</p>`}
    <form onSubmit=${enter}>
      <label>${say("person")}<input name="person" autocomplete="username" required maxlength="64" /></label>
      <label>${say("pin")}<input name="pin" type="password" autocomplete="current-password" required maxlength="64" /></label>
      <button class="button button-main" disabled=${busy}>${say("sign_on")}</button>
    </form>
    <p class="door-error" role="alert">${error ? explainError(words, error) : ""}</p>
  </main>`;
}
