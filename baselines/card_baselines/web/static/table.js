// A seat at a table: shows it with the legal actions, and the moves of the others at the chosen speed.

import { cardName, cardPicture } from "./cards.js";
import { loadPreference, make, showStatus, formatSigned } from "./dom.js";
import { Drawing } from "./drawing.js";
import { Panel } from "./panel.js";

const NO_WAIT = 0;

export class TableView {
  constructor(socket) {
    this.socket = socket;
    this.drawing = new Drawing();
    this.waiting = [];
    this.timer = null;
    this.now = null;
    this.chosen = new Set();
    this.panel = new Panel((agent) => this.think(agent));
    this.turn = make("p", { class: "turn", "aria-live": "assertive" });
    this.actions = make("div", { class: "controls" });
    this.log = make("ol", { class: "log", tabindex: "0", "aria-label": "Moves" });
    this.score = make("dl", { class: "facts" });
    this.words = make("pre", { class: "as-text" });
    this.note = make("p", { class: "quiet", hidden: true }, "These deals follow from a seed that was given when the table was opened: anybody who knows it, or finds it by a search, can compute all cards.");
    const wide = matchMedia("(min-width: 40rem)").matches;
    this.element = make("div", { class: "play" },
      make("div", { class: "board" }, this.drawing.svg,
        make("div", { class: "controls-box" }, this.actions),
        make("details", { open: !wide }, make("summary", {}, "The table as text"), this.words)),
      make("div", {}, this.panel.element,
        make("aside", {}, make("h2", {}, "Score"), this.score, this.note, make("h2", {}, "This hand"), this.log)));
    this.onkey = (event) => this.key(event);
    document.addEventListener("keydown", this.onkey);
    this.panel.ask();
  }

  leave() {
    document.removeEventListener("keydown", this.onkey);
    clearTimeout(this.timer);
  }

  receive(message) {
    if (message.type === "table") this.queue(message);
    else if (message.type === "thought") this.receiveThought(message);
    else if (message.type === "agents") this.panel.offer(message.agents, loadPreference("thinker") ?? "");
    else if (message.type === "closed") showStatus("This session is ended.");
  }

  // --- moves of the other players, one after the other ---

  queue(table) {
    this.waiting.push(table);
    if (this.timer === null) this.showNext();
  }

  showNext() {
    this.timer = null;
    const table = this.waiting.shift();
    if (table === undefined) return;
    this.show(table);
    const next = this.waiting[0];
    const isOthers = next === undefined || (next.move !== null && next.move.seat !== next.seat);
    const pause = table.move !== null && isOthers ? Number(loadPreference("speed") ?? 350) : NO_WAIT;
    if (pause > 0) this.timer = setTimeout(() => this.showNext(), pause);
    else if (this.waiting.length) this.showNext();
  }

  show(table) {
    const isNewHand = this.now === null || this.now.hand !== table.hand;
    this.now = table;
    this.drawing.show(table);
    this.words.textContent = table.text;
    if (isNewHand) this.log.replaceChildren();
    if (table.move) this.logMove(table);
    this.showScore(table.score);
    this.note.toggleAttribute("hidden", table.is_secret);
    this.chosen.clear();
    this.showControls();
    this.updatePanel();
  }

  logMove(table) {
    const forfeit = table.move.is_forfeit ? " (failed: first legal action)" : "";
    this.log.append(make("li", {}, `${table.names[table.move.seat]}: ${table.move.action}${forfeit}`));
    this.log.scrollTop = this.log.scrollHeight;
  }

  showScore(score) {
    const lines = score.names.flatMap((name, index) => {
      const mean = score.means ? score.means[index] : null;
      const interval = mean ? `, ${formatSigned(mean[0])} ± ${((mean[2] - mean[1]) / 2).toFixed(2)} per hand` : "";
      return [make("dt", {}, name), make("dd", {}, `${formatSigned(score.totals[index])} ${score.unit}${interval}`)];
    });
    this.score.replaceChildren(make("dt", {}, "hands"), make("dd", {}, score.hands.toLocaleString("en")), ...lines);
  }

  // --- controls ---

  showControls() {
    const table = this.now;
    const parts = [this.turn];
    if (table.over) {
      const won = table.seat === null ? null : table.payoffs[table.seat];
      this.turn.textContent = `The hand is over${won === null ? "" : `: you ${describeResult(won, table.score.unit)}`}.`;
      if (table.seat !== null) {
        parts.push(make("div", { class: "row actions" },
          make("button", { class: "main", onclick: () => this.next() }, "Next hand", make("kbd", {}, "n"))));
      }
    } else if (table.choices.length) {
      this.turn.textContent = "Your turn.";
      if (table.choices.some((choice) => choice.cards.length)) parts.push(...this.cardControls());
      else parts.push(...this.betControls());
    } else {
      this.turn.textContent = `Waiting for ${table.names[table.actor]}.`;
    }
    this.actions.replaceChildren(...parts);
  }

  betControls() {
    const plain = this.now.choices.filter((choice) => choice.raise_to === null);
    const raises = this.now.choices.filter((choice) => choice.raise_to !== null);
    const buttons = plain.map((choice) => this.button(choice.name, choice.action, KEYS[choice.name.split(" ")[0]]));
    const single = raises.length === 1 && raises[0].count === 1;
    if (single) buttons.push(this.button(raises[0].name, raises[0].action, "r"));
    const rows = [make("div", { class: "row actions" }, ...buttons)];
    if (raises.length && !single) rows.push(this.raiseControls(raises));
    return rows;
  }

  raiseControls(raises) {
    const amounts = raises.flatMap((choice) => Array.from({ length: choice.count }, (_, k) =>
      ({ action: choice.action + k, amount: choice.raise_to + k })));
    const button = make("button", { class: "main", onclick: () => this.act(amounts[slider.value].action) });
    const slider = make("input", {
      type: "range", min: 0, max: amounts.length - 1, value: 0, id: "amount", "aria-label": "Raise to",
    });
    const verb = raises[0].name.startsWith("bet") ? "Bet" : "Raise to";
    const show = () => {
      const { amount } = amounts[slider.value];
      button.replaceChildren(`${verb} ${amount.toLocaleString("en")}`, make("kbd", {}, "r"));
      slider.setAttribute("aria-valuetext", `${verb} ${amount}`);
    };
    slider.addEventListener("input", show);
    const sizes = raises.length <= 12 ? raises : [];
    const ends = [...new Set([...sizes.map((choice) => choice.raise_to), amounts.at(-1).amount])];
    const quick = ends.map((amount) => make("button", {
      type: "button", "aria-label": `choose ${amount}`,
      onclick: () => { slider.value = amounts.findIndex((each) => each.amount === amount); show(); },
    }, amount === amounts.at(-1).amount ? `${amount.toLocaleString("en")} (most)` : amount.toLocaleString("en")));
    show();
    this.raise = button;
    return make("div", { class: "row actions" }, button, slider, ...quick);
  }

  cardControls() {
    const table = this.now;
    const fitting = this.fittingChoices();
    const playable = new Set(fitting.flatMap((choice) => choice.cards));
    const hand = make("div", { class: "hand", role: "group", "aria-label": "Your cards" },
      ...table.cards.map((card) => make("button", {
        "aria-label": cardName(card), "aria-pressed": String(this.chosen.has(card)),
        disabled: !playable.has(card) && !this.chosen.has(card), onclick: () => this.toggle(card), "data-card": card,
      }, cardPicture(card))));
    const exact = fitting.filter((choice) => choice.cards.length === this.chosen.size && this.chosen.size > 0);
    const buttons = exact.map((choice) => this.button(`Play ${choice.name}`, choice.action, "Enter", true));
    if (!exact.length) {
      const words = this.chosen.size ? "No combination yet: add cards" : "Choose cards";
      buttons.push(make("button", { disabled: true }, words));
    }
    for (const choice of table.choices.filter((each) => !each.cards.length)) {
      buttons.push(this.button(choice.name, choice.action, "p"));
    }
    if (this.chosen.size) buttons.push(make("button", { onclick: () => this.clearChosen() }, "Put back", make("kbd", {}, "Esc")));
    return [hand, make("div", { class: "row actions" }, ...buttons)];
  }

  /** The choices that play all cards chosen so far. */
  fittingChoices() {
    return this.now.choices.filter((choice) => [...this.chosen].every((card) => choice.cards.includes(card)));
  }

  toggle(card) {
    if (!this.chosen.delete(card)) this.chosen.add(card);
    this.showControls();
    this.actions.querySelector(`[data-card="${card}"]`)?.focus();
  }

  clearChosen() {
    this.chosen.clear();
    this.showControls();
  }

  button(name, action, key, isMain = false) {
    const words = name.charAt(0).toUpperCase() + name.slice(1);
    return make("button", { class: isMain ? "main" : null, "data-key": key, "data-action": action, onclick: () => this.act(action) },
      words, key ? make("kbd", {}, key) : null);
  }

  act(action) {
    this.socket.send("act", { hand: this.now.hand, step: this.now.step, action });
    for (const button of this.actions.querySelectorAll("button")) button.disabled = true;
  }

  next() {
    this.socket.send("next", { hand: this.now.hand });
  }

  refused() {
    this.showControls();
  }

  key(event) {
    const isTyping = event.target.closest?.("input[type=text], input[type=number], select, textarea");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || this.now === null) return;
    const isOnButton = event.target.tagName === "BUTTON" && (event.key === "Enter" || event.key === " ");
    if (isOnButton) return;
    if (event.key === "n" && this.now.over) this.next();
    else if (event.key === "r" && this.raise?.isConnected) this.raise.click();
    else if (event.key === "Escape") this.clearChosen();
    else this.actions.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
  }

  // --- advice of an agent ---

  updatePanel() {
    if (this.now.choices.length) this.panel.ask();
  }

  think(agent) {
    const { now } = this;
    if (now === null || now.seat === null) return;
    if (now.choices.length) this.asked = { hand: now.hand, step: now.step };
    if (this.asked) this.socket.send("think", { agent, ...this.asked });
  }

  receiveThought(thought) {
    if (thought.agent === this.panel.agent.value) this.panel.show(thought);
  }
}

/** Describe an amount that is won or lost: "win 3 points", "lose 13 points". */
function describeResult(won, unit) {
  if (won === 0) return `win and lose nothing`;
  const amount = Math.abs(Math.round(won * 100) / 100);
  return `${won > 0 ? "win" : "lose"} ${amount.toLocaleString("en")} ${amount === 1 ? unit.replace(/s$/, "") : unit}`;
}

const KEYS = { fold: "f", check: "c", call: "c", pass: "p" };
