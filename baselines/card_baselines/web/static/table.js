// A seat at a table: shows it with the legal actions, and the moves of the others at the chosen speed.

import { cardName, cardPicture } from "./cards.js";
import { formatInterval, formatSigned, loadPreference, make, showStatus } from "./dom.js";
import { Drawing } from "./drawing.js";
import { Panel } from "./panel.js";

const NO_WAIT = 0;
const SLOW_AFTER = 3000;
const SLOW = "The first decisions take up to a minute while code is compiled.";

export class TableView {
  constructor(socket) {
    this.socket = socket;
    this.drawing = new Drawing();
    this.waiting = [];
    this.timer = null;
    this.now = null;
    this.chosen = new Set();
    this.styles = new Map();
    this.asked = this.thought = this.taken = null; // decision of the panel, the agent's answer, and what was done
    this.panel = new Panel((agent) => this.think(agent));
    this.turn = make("p", { class: "turn", "aria-live": "assertive" });
    this.actions = make("div", { class: "controls" });
    this.log = make("ol", { class: "log", tabindex: "0", "aria-label": "Moves" });
    this.score = make("dl", { class: "facts" });
    this.agents = make("dl", { class: "quiet facts" });
    this.words = make("pre", { class: "as-text" });
    this.note = make("p", { class: "quiet", hidden: true }, "These deals follow from a seed that was given when the table was opened: anybody who knows it, or finds it by a search, can compute all cards.");
    this.element = make("div", { class: "play" },
      make("div", { class: "board" }, this.drawing.svg,
        make("div", { class: "controls-box" }, this.actions),
        make("details", {}, make("summary", {}, "The table as text"), this.words),
        make("aside", { class: "moves", "aria-label": "This hand" }, make("h2", {}, "This hand"), this.log)),
      make("div", {}, this.panel.element, make("aside", { "aria-label": "Score" }, make("h2", {}, "Score"), this.score, this.agents, this.note)));
    this.onkey = (event) => this.key(event);
    document.addEventListener("keydown", this.onkey);
    this.panel.ask();
  }

  leave() {
    document.removeEventListener("keydown", this.onkey);
    clearTimeout(this.timer);
    clearTimeout(this.slow);
    this.drawing.leave();
  }

  receive(message) {
    if (message.type === "table") this.queue(message);
    else if (message.type === "thought") this.receiveThought(message);
    else if (message.type === "agents") this.receiveAgents(message.agents);
    else if (message.type === "closed") showStatus("This session is ended.");
  }

  receiveAgents(agents) {
    this.styles = new Map(agents.map((agent) => [agent.name, agent.style || agent.summary]));
    this.panel.offer(agents, loadPreference("thinker") ?? "");
    if (this.now) this.showAgents(this.now.score);
    if (this.panel.agent.value) this.panel.ask();
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
    this.now = table;
    this.drawing.show(table);
    this.words.textContent = table.text;
    this.showMoves(table);
    this.showScore(table.score);
    this.note.toggleAttribute("hidden", table.is_secret);
    this.chosen.clear();
    this.showControls();
    this.updatePanel();
  }

  showMoves(table) {
    this.log.replaceChildren(...table.moves.map((move) => {
      const forfeit = move.is_forfeit ? " (failed: first legal action)" : "";
      return make("li", { class: move.is_forced ? "forced" : null }, `${table.names[move.seat]}: ${move.action}${forfeit}`);
    }));
    this.log.scrollTop = this.log.scrollHeight;
  }

  showScore(score) {
    const lines = score.names.flatMap((name, index) => {
      const mean = score.means ? score.means[index] : null;
      const interval = mean ? `, ${formatInterval(mean[0], mean.slice(1))} per hand` : "";
      return [make("dt", {}, name), make("dd", {}, `${formatSigned(score.totals[index])} ${score.unit}${interval}`)];
    });
    this.score.replaceChildren(make("dt", {}, "hands"), make("dd", {}, score.hands.toLocaleString("en")), ...lines);
    this.showAgents(score);
  }

  /** The whole names of the agents, and how they play. */
  showAgents(score) {
    const names = new Map(score.agents.map((agent, index) => [agent, score.names[index]]).reverse());
    names.delete(null);
    this.agents.replaceChildren(...[...names].reverse().flatMap(([agent, name]) => {
      const style = this.styles.get(agent);
      const words = [agent === name ? "" : agent, style ?? ""].filter((part) => part).join(": ");
      return words ? [make("dt", {}, name), make("dd", {}, words)] : [];
    }));
  }

  // --- controls ---

  showControls() {
    const table = this.now;
    clearTimeout(this.slow);
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
      this.slow = setTimeout(() => { this.turn.textContent += ` ${SLOW}`; }, SLOW_AFTER);
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
    if (this.chosen.size) {
      buttons.push(make("button", { "data-key": "Escape", onclick: () => this.clearChosen() }, "Put back", make("kbd", {}, "Esc")));
    }
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
    this.turn.textContent = "Your move is sent.";
    for (const button of this.actions.querySelectorAll("button")) button.disabled = true;
  }

  next() {
    this.socket.send("next", { hand: this.now.hand });
  }

  refused() {
    if (this.now) this.showControls();
    if (this.asked && !this.thought && this.panel.agent.value) this.panel.clear("No answer.");
  }

  key(event) {
    const isTyping = event.target.closest?.("input[type=text], input[type=number], select, textarea");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || this.now === null) return;
    const isOnButton = event.target.tagName === "BUTTON" && (event.key === "Enter" || event.key === " ");
    if (isOnButton) return;
    if (event.key === "n" && this.now.over) this.next();
    else if (event.key === "r" && this.raise?.isConnected) this.raise.click();
    else this.actions.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
  }

  // --- advice of an agent ---

  /** Ask about a new decision, and mark what was done in the last one. */
  updatePanel() {
    const { now, asked } = this;
    const isNext = asked !== null && asked.hand === now.hand && asked.step + 1 === now.step;
    if (isNext && now.move !== null && now.move.seat === now.seat) {
      this.taken = now.move.action;
      if (this.thought) this.showThought();
    }
    const isAsked = asked !== null && asked.hand === now.hand && asked.step === now.step;
    if (now.choices.length && !isAsked) {
      this.asked = { hand: now.hand, step: now.step };
      this.thought = this.taken = null;
      this.panel.ask();
    } else if (asked !== null && asked.hand !== now.hand) {
      this.asked = this.thought = this.taken = null;
      this.panel.clear("Your next decision comes.");
    }
  }

  think(agent) {
    if (this.asked) this.socket.send("think", { agent, ...this.asked });
    else this.panel.clear("Your next decision comes.");
  }

  receiveThought(thought) {
    const isAsked = this.asked !== null && thought.hand === this.asked.hand && thought.step === this.asked.step;
    if (!isAsked || thought.agent !== this.panel.agent.value) return; // about a decision that is over
    this.thought = thought;
    this.showThought();
  }

  showThought() {
    this.panel.show(this.thought, this.taken, this.taken === null ? "Your decision now" : `Your last decision: ${this.taken}`);
  }
}

/** Describe an amount that is won or lost: "win 3 points", "lose 13 points". */
function describeResult(won, unit) {
  if (won === 0) return `win and lose nothing`;
  const amount = Math.abs(Math.round(won * 100) / 100);
  return `${won > 0 ? "win" : "lose"} ${amount.toLocaleString("en")} ${amount === 1 ? unit.replace(/s$/, "") : unit}`;
}

const KEYS = { fold: "f", check: "c", call: "c", pass: "p" };
