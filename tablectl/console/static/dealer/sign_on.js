/** The door of the pages for people with a PIN: a name, the PIN, a language. */
import { html, useEffect, useState } from "/static/vendor/htm-preact.js";
import { signOn, unended } from "/static/shared/api.js";
import { Languages } from "/static/shared/parts.js";
import { PinPad } from "/static/dealer/pads/pin.js";

/** Signs a person on; a page of few roles names those, and says in a note whom it isn't for. */
export function SignOn({ words, layout, entered, title = words.say(`game.${layout.game}`), note, roles }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const [leaving, setLeaving] = useState(unended());
  useEffect(() => {
    const look = () => setLeaving(unended());
    addEventListener("signedoff", look);
    return () => removeEventListener("signedoff", look);
  }, []);
  const enter = async ({ person, pin }) => {
    setBusy(true);
    setError(null);
    try {
      const who = await signOn(person, pin);
      entered({ person: who.person ?? person, role: who.role });
    } catch (failed) {
      setError(failed);
      setBusy(false);
    }
  };
  return html`<main class="door">
    <header>
      <h1>${title} <span class="faint">${layout.table}</span></h1>
      <${Languages} words=${words} short />
    </header>
    <p role="status">${leaving ? html`<span class="lamp lamp-bad" data-unended>${words.say("page.dealer.sign_on.unended")}</span>` : ""}</p>
    ${note ? html`<p>${note}</p>` : null}
    <p class="door-error" role="alert">${error ? explain(words, error) : ""}</p>
    <${PinPad} words=${words} roles=${roles} busy=${busy} done=${enter} />
  </main>`;
}

/** An error of the API in the page's language, as far as the page has words for it. */
export function explain(words, error) {
  return words.first([`page.dealer.error.${error.code}`, "page.dealer.error.any"], {
    message: error.message,
    seconds: Math.ceil(error.retryMs / 1000),
  });
}
