/** The chip tray: which chip a touch puts down, and for whom. */
import { html, useState } from "/static/vendor/htm-preact.js";
import { showMoney } from "/static/shared/money.js";
import { begin } from "/static/dealer/asking.js";
import { betsAgain, betting, bettorsOf, chipInHand, chipsOf, ownBettor, sameAgain } from "/static/dealer/betting.js";
import { CHIP_KEYS, besideKey } from "/static/dealer/keys.js";
import { TextPad } from "/static/dealer/pads/names.js";

export function Tray({ desk }) {
  if (!betting(desk)) return null;
  const { words, tray, layout } = desk;
  const change = (changes) => desk.set({ tray: { ...tray, ...changes } });
  const chosen = chipInHand(desk);
  const lies = desk.state.round.bets.length > 0;
  const again = betsAgain(desk).length > 0;
  return html`<section class="tray" aria-label=${words.say("page.dealer.tray.title")}>
    <p class="tray-hint">${words.say(tray.back ? "page.dealer.tray.back_hint" : "page.dealer.tray.hint", { chip: showMoney(chosen) })}${" "}
      <span class="faint">(${limits(desk)})</span></p>
    <div class="chips" role="group" aria-label=${words.say("page.dealer.pad.chips")}>
      ${chipsOf(layout).map((chip, nth) => html`<button type="button" class="chip chip-${nth % 6}" key=${chip} data-chip=${chip}
        data-key=${CHIP_KEYS[nth]} aria-pressed=${String(!tray.back && chip === chosen)}
        onClick=${() => change({ chip, back: false })}>${showMoney(chip)}</button>`)}
    </div>
    <div class="tray-row">
      <${Bettors} desk=${desk} change=${change} />
      ${lies || !again
        ? html`<button type="button" class="button" data-tray="back" data-key="Backspace" aria-pressed=${String(tray.back)}
            aria-disabled=${!lies} onClick=${() => change({ back: !tray.back })}>${words.say("page.dealer.tray.back")}</button>`
        : null}
      ${again
        ? html`<button type="button" class="button" data-tray="again" data-key="R" aria-disabled=${!desk.live} onClick=${() => sameAgain(desk)}>
            ${words.say("page.dealer.tray.again")}</button>`
        : null}
      ${desk.place !== null
        ? html`<button type="button" class="button" data-tray="stake" data-key="/" aria-disabled=${!desk.live}
            onClick=${() => begin(desk, "bet", { place: desk.place, bettor: tray.bettor ?? ownBettor(desk, desk.place) }, desk.shown)}>
            ${words.say("page.dealer.ask.stake")}</button>`
        : null}
    </div>
  </section>`;
}

/** For whom chips are put down: for the place's own bettor, unless another is chosen. */
function Bettors({ desk, change }) {
  const { words, tray } = desk;
  const [typing, type] = useState(false);
  const names = bettorsOf(desk);
  if (tray.bettor && !names.includes(tray.bettor)) names.push(tray.bettor);
  const chosen = names.indexOf(tray.bettor);
  return html`<div class="choices bettors" role="group" aria-label=${words.say("page.dealer.field.bettor")}>
      <button type="button" class="button" data-bettor="" data-key="," aria-pressed=${String(tray.bettor === null)} onClick=${() => change({ bettor: null })}>
        ${words.say("page.dealer.tray.own")}</button>
      ${names.map((name, nth) => html`<button type="button" class="button" key=${name} data-bettor=${name} data-key=${besideKey(nth, chosen)} aria-pressed=${String(tray.bettor === name)}
        onClick=${() => change({ bettor: name })}>${name}</button>`)}
      <button type="button" class="button" data-bettor-other data-key=${typing ? "Escape" : "."} aria-expanded=${String(typing)}
        onClick=${() => type(!typing)}>${words.say("page.dealer.pad.other_name")}</button>
    </div>
    ${typing ? html`<${TextPad} desk=${desk} label="page.dealer.pad.other_name" atOnce done=${(bettor) => (change({ bettor }), type(false))} />` : null}`;
}

/** What the house takes as one bet: once, where it is the same for all. */
function limits({ words, layout }) {
  const { minimum, maximum, step } = layout.bets[0];
  return words.say("page.dealer.bet.limits", { least: showMoney(minimum), most: showMoney(maximum), step: showMoney(step) });
}
