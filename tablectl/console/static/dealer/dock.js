/** The side of the screen that is touched: what is asked for, what else may be done, and always at its foot the next step. */
import { html, useEffect, useRef } from "/static/vendor/htm-preact.js";
import { Acts, WhyNot } from "/static/dealer/acts.js";
import { Amend } from "/static/dealer/amend.js";
import { AmendSheet } from "/static/dealer/amend_sheet.js";
import { amendable } from "/static/dealer/amending.js";
import { ASIDE } from "/static/dealer/desk.js";
import { Form } from "/static/dealer/form.js";
import { PAGE_KEYS } from "/static/dealer/keys.js";
import { Lesson, Lessons } from "/static/dealer/lessons.js";
import { Next } from "/static/dealer/next.js";
import { IRREGULAR, STEPS } from "/static/dealer/offers.js";
import { Hands } from "/static/dealer/practice.js";
import { Due, Result } from "/static/dealer/result.js";
import { Tray } from "/static/dealer/tray.js";
import { Devices, Faults } from "/static/dealer/troubles.js";

const PAGES = {
  steps: ({ desk }) => html`<${Due} desk=${desk} /><${Result} desk=${desk} /><${Tray} desk=${desk} /><${Acts} desk=${desk} verbs=${STEPS} />`,
  irregular: ({ desk }) => html`<${Acts} desk=${desk} verbs=${IRREGULAR} />`,
  amend: Amend,
  why: WhyNot,
  faults: Faults,
  lessons: Lessons,
  devices: ({ desk }) => html`<${Devices} desk=${desk} /><${Hands} desk=${desk} />`,
};

/** The pages that have a tab; faults, devices and lessons are opened from the strip. */
const TABS = ["steps", "irregular", "amend", "why"];

export function Dock({ desk }) {
  const lesson = html`<${Lesson} desk=${desk} />`;
  const body = useRef(null);
  const enters = Boolean(desk.form || desk.amend);
  const entered = useRef(enters);
  useEffect(() => {
    if (entered.current && !enters) body.current?.focus({ preventScroll: true });
    entered.current = enters;
  }, [enters]);
  if (desk.form) return html`<${Entering} desk=${desk} lesson=${lesson}><${Form} desk=${desk} key=${desk.form.verb} /><//>`;
  if (desk.amend) return html`<${Entering} desk=${desk} lesson=${lesson}><${AmendSheet} desk=${desk} /><//>`;
  const page = PAGES[desk.tab];
  const looksOn = !desk.offers.length;
  return html`<section class="dock">
    ${lesson}
    ${looksOn ? html`<p class="onlooker">${desk.words.say("page.dealer.onlooker")}</p>` : html`<${Tabs} desk=${desk} />`}
    <div class="dock-body" data-page=${desk.tab} tabindex="-1" ref=${body}><${page} desk=${desk} /></div>
    ${looksOn ? null : html`<${Next} desk=${desk} />`}
  </section>`;
}

/** What is being entered; a page that is looked at meanwhile lies over it, and then the focus is back where it was. */
function Entering({ desk, lesson, children }) {
  const { words, tab } = desk;
  const aside = ASIDE.has(tab);
  const page = PAGES[tab];
  const focused = useRef(null);
  const over = useRef(null);
  useEffect(() => (aside ? over : focused).current?.focus(), [aside]);
  return html`<section class="dock" aria-live="off">${lesson}
    <div class="entering" inert=${aside} hidden=${aside} onFocusCapture=${(event) => (focused.current = event.target)}>${children}</div>
    ${aside ? html`<div class="aside">
      <div class="dock-body" data-page=${tab} tabindex="-1" ref=${over}><${page} desk=${desk} /></div>
      <button type="button" class="button wide" data-key="Escape" data-back onClick=${() => desk.set({ tab: "steps" })}>${words.say("page.dealer.form.return")}</button>
    </div>` : null}
  </section>`;
}

function Tabs({ desk }) {
  const { words } = desk;
  return html`<div class="tabs" role="group" aria-label=${words.say("page.dealer.tab.title")}>
    ${TABS.filter((name) => name !== "amend" || amendable(desk)).map((name) => html`<button type="button" class="button tab" key=${name} data-tab=${name} data-key=${PAGE_KEYS[name]} aria-pressed=${String(desk.tab === name)}
      onClick=${() => desk.set({ tab: name, touched: null })}>${words.say(`page.dealer.tab.${name}`)}</button>`)}
  </div>`;
}
