/** The switch between the languages of the house, each written as itself. */
import { html } from "/static/vendor/htm-preact.js";

const NAMES = { "zh-Hant": ["中文", "中文"], pt: ["PT", "Português"], en: ["EN", "English"] };

export function Languages({ words }) {
  const order = Object.keys(NAMES).filter((language) => words.languages.includes(language));
  return html`<div class="languages" role="group" aria-label=${words.say("page.dealer.language")}>
    ${order.map(
      (language) => html`<button type="button" lang=${language} key=${language} aria-label=${NAMES[language][1]}
        aria-pressed=${String(words.language === language)} onClick=${() => words.choose(language)}>
        ${NAMES[language][0]}
      </button>`,
    )}
  </div>`;
}
