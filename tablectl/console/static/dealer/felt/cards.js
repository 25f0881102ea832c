/** What the two games dealt from shoe or shuffler show of their pack. */
import { html } from "/static/vendor/htm-preact.js";
import { named } from "/static/dealer/labels.js";
import { Facts } from "/static/dealer/felt/parts.js";

export function CardFacts({ desk }) {
  const { words, state, layout } = desk;
  const { pack, dealing, misplaced, surplus } = state.round;
  return html`<${Facts} items=${[
    [words.say("page.dealer.pack"), words.say(`pack.${layout.game}.${pack}`)],
    [words.say("page.dealer.field.dealing"), named(words, layout.dealing, dealing)],
    [words.say("page.dealer.misplaced"), misplaced ? words.place(misplaced) : null],
    [words.say("page.dealer.surplus"), surplus || null],
  ]} />`;
}
