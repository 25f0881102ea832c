/** Bets: a place, who bets, on what, and chips, which can be taken away again until they are put down. */
import { html } from "/static/vendor/htm-preact.js";
import { fromHundredths, showMoney } from "/static/shared/money.js";
import { betLabel } from "/static/dealer/labels.js";
import { articleText } from "/static/dealer/notice.js";
import { offersOf, refusalOf } from "/static/dealer/offers.js";
import { Chips, total } from "/static/dealer/pads/money.js";
import { TextPad, bettorsKnown } from "/static/dealer/pads/names.js";

const NAMES_SHOWN = 4;

export function BetPad({ desk }) {
  const { words, offers } = desk;
  const bets = offersOf(offers, "bet");
  if (!bets.length) return null;
  const refused = refusalOf(offers, "bet");
  if (refused) {
    return html`<button type="button" class="button step grey wide" data-verb="bet" aria-disabled="true"
      onClick=${() => desk.set({ notice: { kind: "refused", verb: "bet", ...refused } })}>
      ${words.say("page.dealer.bet.title")}
      <small><span class="article">${articleText(words, refused.article)}</span> ${words.pick(refused.text)}</small>
    </button>`;
  }
  return html`<section class="bet-pad" aria-labelledby="bet-title">
    <header>
      <h2 id="bet-title" tabindex="-1">
        ${words.say("page.dealer.pair", {
          name: words.say("page.dealer.bet.title"),
          value: desk.place === null ? words.say("page.dealer.bet.tap_place") : words.place(desk.place),
        })}
      </h2>
      <${Limits} desk=${desk} />
    </header>
    ${desk.place === null ? null : html`<${AtPlace} desk=${desk} />`}
  </section>`;
}

/** What the house takes as one bet; of the bet that is chosen, else of the first. */
function Limits({ desk }) {
  const { layout, words } = desk;
  const { minimum, maximum, step } = layout.bets.find((one) => one.name === desk.bet.bet) ?? layout.bets[0];
  const values = { least: showMoney(minimum), most: showMoney(maximum), step: showMoney(step) };
  return html`<p class="faint limits">${words.say("page.dealer.bet.limits", values)}</p>`;
}

/** The bets that can be made at a place. */
function betsAt(desk) {
  const allowed = offersOf(desk.offers, "bet").filter((offer) => offer.allowed);
  const here = (offer) => !("place" in offer.fields) || offer.fields.place === desk.place;
  const names = new Set(allowed.filter(here).map((offer) => offer.fields.bet).filter(Boolean));
  const common = desk.place === "common";
  const known = desk.layout.bets.filter((bet) => !names.size || names.has(bet.name));
  const fit = known.filter((bet) => desk.layout.hands.includes("common") === false || (bet.per === "common") === common || bet.per === "place");
  return (fit.length ? fit : desk.layout.bets).map((bet) => bet.name);
}

function AtPlace({ desk }) {
  const { words, bet, shown } = desk;
  const names = bettorsKnown(desk, desk.place);
  const bettor = bet.bettor ?? usualBettor(desk, names);
  const kinds = betsAt(desk);
  const kind = kinds.includes(bet.bet) ? bet.bet : kinds[0];
  const choose = (changes) => desk.set({ bet: { ...bet, bettor, bet: kind, ...changes } });
  const amount = total(bet.chips);
  const put = async () => {
    const fields = { place: desk.place, bettor, bet: kind, stake: fromHundredths(amount) };
    const answer = await desk.send("bet", fields, shown);
    if (answer?.accepted) desk.set({ bet: { bettor, bet: kind, chips: [] } });
  };
  return html`
    <div class="choices" role="group" aria-label=${words.say("page.dealer.field.bettor")}>
      ${[...new Set([bettor, ...names])].slice(0, bet.other ? 12 : NAMES_SHOWN).map((name) => html`<button type="button" class="button" key=${name} data-bettor=${name}
        aria-pressed=${String(name === bettor)} onClick=${() => choose({ bettor: name })}>${name}</button>`)}
      <button type="button" class="button" aria-expanded=${String(Boolean(bet.other))} aria-label=${words.say("page.dealer.pad.other_name")}
        onClick=${() => choose({ other: !bet.other })}>…</button>
    </div>
    ${bet.other ? html`<${TextPad} desk=${desk} label="page.dealer.pad.other_name" done=${(name) => choose({ bettor: name, other: false })} />` : null}
    ${kinds.length > 1
      ? html`<div class="choices kinds" role="group" aria-label=${words.say("page.dealer.field.bet")}>
          ${kinds.map((name) => html`<button type="button" class="button" key=${name} data-bet=${name}
            aria-pressed=${String(name === kind)} onClick=${() => choose({ bet: name })}>${betLabel(desk, name)}</button>`)}
        </div>`
      : null}
    <${Chips} desk=${desk} chips=${bet.chips} change=${(chips) => choose({ chips })} />
    <button type="button" class="button button-main wide put-down" data-key="Enter" disabled=${!desk.live || amount === 0} onClick=${put}>
      ${words.say("page.dealer.bet.put_down", { amount: showMoney(amount), bettor })}
    </button>
  `;
}

/** Who sits at the place, else who has bet there, else the first name. */
function usualBettor(desk, names) {
  const { seats = [], bets = [] } = desk.state.round;
  const here = [...seats, ...bets].find((one) => one.place === desk.place);
  return here?.bettor ?? names[0];
}
