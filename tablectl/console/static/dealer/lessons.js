/** Lessons at a simulated table: each says what to do next, follows what the table publishes, and judges the round by that alone. */
import { html } from "/static/vendor/htm-preact.js";
import { follow } from "/static/shared/api.js";
import { betting } from "/static/dealer/betting.js";
import { ACT_KEYS } from "/static/dealer/keys.js";
import { articleText } from "/static/dealer/notice.js";

/** The first event of a kind that fits, in the lesson's round. */
const told = (kind, fits = () => true) => (events) => events.find(({ type, data }) => type.endsWith(`.${kind}.v1`) && fits(data));

const mended = told("round.irregular", ({ consequence }) => consequence === "mended");
const isLate = ({ code }) => LATE.includes(code);

/** What a game calls a bet after its end that the dealer declares; in the other games the table's refusal is all. */
const LATE = ["late_bet", "bet_late"];
const declaresLate = ({ layout }) => (layout.irregularities ?? []).some(({ kind }) => LATE.includes(kind));

/** Once nothing of the round is to be paid any more. */
const paid = (events, { state }) => {
  const over = told("round.settled")(events);
  const id = over?.data.round_id;
  const isShown = state.round_id !== id || state.result?.round_id === id;
  return over && isShown && !state.payment.some((due) => due.round_id === id) && over;
};

const BET = [
  { name: "end", done: (_, { state }) => state.round_id === null },
  { name: "open", done: told("round.opened") },
  { name: "bet", done: told("bet.placed") },
];
const DEAL = [...BET, { name: "deal", done: told("card.dealt") }];

/** What each lesson needs the table to know, and its steps; `done` gives the event that shows it, `lost` says that it can't be done any more. */
const LESSONS = {
  first_round: { steps: [...BET, { name: "play", done: told("round.settled") }, { name: "pay", done: paid, after: true }] },
  late_bet: {
    steps: [
      ...BET,
      { name: "close", done: told("round.betting_closed") },
      { name: "late", done: told("bet.refused"), act: layAgain },
      { name: "declare", done: told("round.irregular", isLate), where: declaresLate },
    ],
  },
  exposed_card: { needs: "expose_card", steps: [...DEAL, { name: "expose", done: told("round.irregular", ({ code }) => code.endsWith("card_exposed")) }] },
  misdeal: {
    needs: "misplace_card",
    steps: [...DEAL, { name: "misplace", done: (events, { state }) => state.round.misplaced || mended(events) }, { name: "mend", done: mended, lost: ({ state }) => !state.round.misplaced }],
  },
  void: { needs: "void_round", steps: [...BET, { name: "void", done: told("round.void") }] },
  amendment: { needs: "amend", steps: [...BET, { name: "amend", done: told("round.amended") }] },
};

const stepsOf = (desk, name) => LESSONS[name].steps.filter(({ where }) => !where || where(desk));

/** Begins a lesson; what came before isn't part of it. */
export function learn(desk, name) {
  leave(desk);
  const line = follow("/v1/live?events=true", {
    signedOn: true,
    message: ({ type, events }) => type === "events" && desk.set({ lesson: { ...desk.lesson, events: [...desk.lesson.events, ...events] } }),
    // Events that were missed can't be judged by.
    status: (status) => ["lost", "signed_off"].includes(status) && leave(desk),
  });
  const unwatch = desk.watch(() => goOn(desk));
  desk.set({ lesson: { name, at: 0, events: [], shown: [], end: () => (line.close(), unwatch()) }, tab: "steps", notice: null });
}

export function leave(desk) {
  desk.lesson?.end();
  if (desk.lesson) desk.set({ lesson: null });
}

/** The events of the lesson's round: the first that was opened in it. */
function ofRound(events) {
  const opened = told("round.opened")(events);
  return opened ? events.filter(({ data }) => data.round_id === opened.data.round_id) : [];
}

/** Takes every step that is done, each not before the one that it follows; `shown` keeps the events by which they were. */
function goOn(desk) {
  const { lesson } = desk;
  if (!lesson) return;
  const events = ofRound(lesson.events);
  const since = Math.max(0, ...lesson.shown.map((event) => events.indexOf(event)));
  const done = stepsOf(desk, lesson.name)[lesson.at]?.done(events.slice(since), desk);
  if (done) desk.set({ lesson: { ...lesson, at: lesson.at + 1, shown: [...lesson.shown, done] } });
}

/** What became of a lesson: "kept" or "broken" with article and text, "missed"; null while it goes on. */
function verdict(desk) {
  const { name, at, events, shown } = desk.lesson;
  const steps = stepsOf(desk, name);
  const round = ofRound(events);
  const over = told("round.settled")(round) ?? told("round.void")(round);
  const broken = told("round.irregular")(round.filter((event) => !shown.includes(event)));
  if (at < steps.length && (!over || steps[at].after) && !(broken && steps[at].lost?.(desk))) return null;
  if (broken) return { kind: "broken", ...broken.data };
  if (at < steps.length) return { kind: "missed" };
  const { data } = shown[shown.length - 1];
  return { kind: "kept", ...data };
}

/** A bettor puts down once more what they bet: too late now. */
function layAgain(desk) {
  const { place, bettor, bet, stake } = told("bet.placed")(ofRound(desk.lesson.events)).data;
  desk.send("bet", { place, bettor, bet, stake }, desk.shown);
}

/** The running lesson: what to do next, or how it ended. */
export function Lesson({ desk }) {
  const { words, lesson } = desk;
  if (!lesson) return null;
  const say = (key, values) => words.say(`page.dealer.lesson.${key}`, values);
  const end = verdict(desk);
  const steps = stepsOf(desk, lesson.name);
  const step = steps[lesson.at];
  return html`<div class="lesson lesson-${end?.kind ?? "runs"}" data-step=${end ? end.kind : step.name}>
    <p role="status">${end
      ? html`<b>${say(end.kind)}</b> ${end.kind === "missed" ? null : html`<span class="article">${end.article ? articleText(words, end.article) : (end.rules_version ?? articleText(words))}</span>`} ${end.text ? words.pick(end.text) : ""}`
      : html`<b>${lesson.at + 1}/${steps.length}</b> ${say(`step.${step.name}`)}`}</p>
    ${!end && step.act ? html`<button type="button" class="button" data-lesson-act data-key="Home" aria-disabled=${!desk.live || betting(desk)} onClick=${() => step.act(desk)}>${say("late")}</button>` : null}
    <button type="button" class="button" data-lesson-leave data-key="End" onClick=${() => leave(desk)}>${say("leave")}</button>
  </div>`;
}

/** The lessons that this table can give. */
export function Lessons({ desk }) {
  const { words } = desk;
  const given = Object.keys(LESSONS).filter((name) => !LESSONS[name].needs || desk.verbs.has(LESSONS[name].needs));
  return html`<h2>${words.say("page.dealer.lesson.title")}</h2>
    <div class="steps">${given.map((name, nth) => html`<button type="button" class="button step" key=${name} data-lesson=${name} data-key=${ACT_KEYS[nth]}
      onClick=${() => learn(desk, name)}>${words.say(`page.dealer.lesson.name.${name}`)}</button>`)}</div>`;
}
