/** The hands of a settled round as cards or dice, the draw, the wheel's symbol. */
import { html } from "/static/vendor/htm-preact.js";
import { Cards } from "/static/shared/cards.js";
import { Dice } from "/static/shared/dice.js";
import { term } from "/static/surveillance/speech.js";

export function Hands({ words, round }) {
  const { round: played, settlement } = round.settled;
  if (!played) return null;
  const results = new Map((settlement.places ?? []).map((place) => [String(place.place), place]));
  const house = ["dealer", "banker"].filter((name) => played[name]);
  return html`<div class="hands">
    ${house.map((name) => html`<${Hand} key=${name} words=${words} who=${name} dealt=${played[name]} made=${settlement[name]} game=${round.game} />`)}
    ${(played.places ?? []).map((place) => html`<${Hand} key=${place.place} words=${words} who=${place.place} dealt=${place}
      made=${results.get(String(place.place))} game=${round.game} />`)}
    ${played.draw && html`<p><strong>${words.say(`series.${played.draw.series}`)} ${played.draw.combination}</strong></p>`}
    ${played.spin && html`<p><strong>${term(words, "bet", `symbol_${played.spin.symbol}`, round.game)}</strong> <span class="faint">${played.spin.turns} ↻</span></p>`}
  </div>`;
}

function Hand({ words, who, dealt, made, game }) {
  const rows = Array.isArray(dealt) ? [dealt] : dealt.rows ?? (dealt.cards ? [dealt.cards] : []);
  const throws = (dealt.throws ?? []).filter(Boolean);
  return html`<div class="hand">
    <span class="hand-who">${words.place(who)}</span>
    ${rows.map((row, nth) => html`<${Cards} key=${nth} cards=${row} words=${words} />`)}
    ${throws.map((dice, nth) => html`<${Dice} key=${nth} values=${dice} label=${dice.join("-")} />`)}
    <span>${named(words, made, game)}</span>
  </div>`;
}

/** What cards or dice make, in the game's words; the formations of the tiers where there is no name for all. */
function named(words, made, game) {
  if (!made) return "";
  for (const family of ["natural", "hand", "combination"]) {
    if (made[family]) return term(words, family, made[family], game);
  }
  if (made.total !== undefined) return term(words, "hand", made.total, game);
  return (made.rows ?? []).map((row) => term(words, "hand", row, game)).join(" | ");
}
