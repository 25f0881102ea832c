/** A person by their name, and their PIN, which is never shown. */
import { html, useEffect, useState } from "/static/vendor/htm-preact.js";
import { people } from "/static/shared/api.js";
import { ACT_KEYS } from "/static/dealer/keys.js";
import { Digits } from "/static/dealer/pads/digits.js";

const PIN_MAX = 12;

/**
 * Asks for a person and their PIN.
 *
 * @param {{words, roles?: string[], except?: string, busy: boolean, done: function({person, pin}), enter?: string, look?: string, title?: string}} props
 *   which roles may be tapped, and who may not; how the last button is called, and how it looks; what it is for.
 */
export function PinPad({ words, roles, except, busy, done, enter: label = words.say("page.dealer.sign_on.enter"), look = "button-main", title }) {
  const [known, setKnown] = useState(null);
  const [person, setPerson] = useState("");
  const [pin, setPin] = useState("");
  useEffect(() => {
    const ask = () => people().then(setKnown, () => setKnown([]));
    ask();
    // Who signed off without a connection is asked for again with it.
    addEventListener("signedoff", ask);
    return () => removeEventListener("signedoff", ask);
  }, []);
  const fit = (known ?? []).filter((one) => (!roles || roles.includes(one.role)) && one.person !== except);
  const enter = () => {
    done({ person, pin });
    setPin("");
  };
  return html`<form class="pin" onSubmit=${(event) => (event.preventDefault(), person && pin && enter())}>
    ${title ? html`<h3>${title}</h3>` : null}
    <div class="names" role="group" aria-label=${words.say("page.dealer.sign_on.who")}>
      ${fit.map((one, nth) => html`<${Name} key=${one.person} by=${ACT_KEYS[nth]} words=${words} one=${one} chosen=${person} choose=${setPerson} />`)}
      ${known && !fit.length ? html`<${NameTyped} words=${words} name=${person} choose=${setPerson} />` : null}
    </div>
    <output class="pin-dots" aria-label=${words.say("page.dealer.sign_on.pin_length", { count: pin.length })}>
      ${"●".repeat(pin.length) || words.say("page.dealer.sign_on.pin")}
    </output>
    <${Digits} words=${words} add=${(digit) => setPin((now) => (now + digit).slice(0, PIN_MAX))}
      remove=${() => setPin((now) => now.slice(0, -1))} />
    <button type="submit" class="button ${look} wide" data-key="Enter" aria-disabled=${busy || !person || !pin}>
      ${label}
    </button>
  </form>`;
}

function Name({ words, one, by, chosen, choose }) {
  return html`<button type="button" class="button name" data-key=${by} aria-pressed=${String(chosen === one.person)}
    onClick=${() => choose(one.person)}>
    <strong>${one.person}</strong> <span>${words.say(`role.${one.role}`)}</span>
  </button>`;
}

/** Where the table keeps its list of people to itself. */
function NameTyped({ words, name, choose }) {
  return html`<label class="typed">${words.say("page.dealer.sign_on.name")}
    <input value=${name} autocomplete="off" autocapitalize="off" onInput=${(event) => choose(event.target.value)} />
  </label>`;
}
