/** Chinese dice: the banker's throw with its marker, and what each place threw. */
import { html, useContext } from "/static/vendor/htm-preact.js";
import { Dice } from "/static/shared/dice.js";
import { showMoney } from "/static/shared/money.js";
import { Fit, columnsFor } from "/static/display/fit.js";
import { Outcomes, PlaceName, outcomesOf } from "/static/display/places.js";
import { Speech, T } from "/static/display/speech.js";
import { Nothing, VoidRound, shownResult } from "/static/display/stage.js";

const made = (combination) => (combination ? [`page.display.dice.${combination}`, `combination.chinese_dice.${combination}`] : null);

/** Banker and places: of the round, or of the last one once it is settled. */
function shownOf(display) {
  const last = shownResult(display);
  if (!last) return running(display.round);
  const { round, settlement } = last;
  const results = new Map(settlement.places.map((place) => [place.place, place]));
  return {
    banker: { place: round.banker.place, throws: round.banker.throws, combination: settlement.banker.combination },
    bank: null,
    places: round.places.map(({ place, throws }) => ({
      place,
      throws,
      combination: results.get(place)?.combination,
      outcomes: outcomesOf(results.get(place)?.bets),
    })),
  };
}

function running({ banker, bank, due, places, payments, phase }) {
  return {
    banker,
    bank,
    places: places.map((place) => ({
      ...place,
      lit: due?.place === place.place && phase !== "betting" && phase !== "idle",
      doing: due?.place === place.place && phase === "throwing" ? due.to : null,
      outcomes: outcomesOf(payments.filter((paid) => paid.place === place.place && paid.outcome)),
    })),
  };
}

export function DiceTable({ display }) {
  if (display.phase === "idle" && display.result?.void) return html`<${VoidRound} result=${display.result} />`;
  const { banker, bank, places } = shownOf(display);
  if (!banker) return html`<${Nothing} display=${display} />`;
  return html`<${Fit} name="bowl" least=${1.2} most=${5} columns=${columnsFor(places.length || 1)}>
    <section class="banker">
      <p class="banker-name"><${T} of="place.banker" /> <span class="place-number">${banker.place}</span></p>
      <${Throw} throws=${banker.throws} />
      ${banker.combination && html`<p class="banker-made"><${T} of=${made(banker.combination)} /></p>`}
      ${bank && html`<p class="bank"><${T} of="page.display.bank" line /> <b>${showMoney(bank.capital)}</b></p>`}
    </section>
      ${places.map((place) => html`<section key=${place.place} data-place=${place.place} class="place ${place.lit ? "place-lit" : ""}">
        <${PlaceName} place=${place.place} />
        <${Throw} throws=${place.throws} />
        ${place.combination && html`<p class="place-made"><${T} of=${made(place.combination)} line /></p>`}
        ${place.doing === "throw" && !place.combination && html`<p class="place-made"><${T} of="page.display.throws" line /></p>`}
        <${Outcomes} outcomes=${place.outcomes} game="chinese_dice" />
      </section>`)}
  <//>`;
}

/** The last throw; how many there were before it, where it took more than one; that it doesn't count, if so. */
function Throw({ throws }) {
  const { words } = useContext(Speech);
  if (throws.length === 0) return html`<p class="throw throw-none" aria-hidden="true">———</p>`;
  const last = throws[throws.length - 1];
  return html`<div class="throw">
    ${last ? html`<${Dice} values=${last} label=${last.join(" ")} />` : html`<p class="throw-invalid"><${T} of="page.display.invalid_throw" line /></p>`}
    ${throws.length > 1 && html`<span class="throw-count" aria-label=${words.say("page.display.throw_count", { count: throws.length }, "zh-Hant")}>×${throws.length}</span>`}
  </div>`;
}
