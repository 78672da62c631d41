// The panel that shows an agent's advice on a decision.

import { formatInterval, make, percent, setOptions } from "./dom.js";

const LEAST_SHOWN = 0.0005; // smaller shares would read 0.0 %

export class Panel {
  /** `ask(agent)` asks the server for thoughts; "" asks for none. */
  constructor(ask) {
    this.agent = make("select", { id: "thinker", onchange: () => this.ask() });
    this.body = make("div", { class: "thoughts", "aria-live": "polite", tabindex: "0", role: "region", "aria-label": "Thoughts" });
    this.askFor = ask;
    this.element = make("aside", { "aria-labelledby": "panel-title" },
      make("h2", { id: "panel-title" }, "What it thinks"),
      make("label", { for: "thinker" }, "Ask", this.agent),
      this.body);
    this.offer([]);
  }

  offer(agents, chosen = this.agent.value) {
    const best = [...agents].sort((a, b) => Number(b.shows_probabilities) - Number(a.shows_probabilities));
    setOptions(this.agent, [["", "nobody"], ...best.map((agent) => [agent.name, agent.name])], chosen);
  }

  ask() {
    if (this.agent.value === "") this.clear("Choose an agent to see what it would do in your decision.");
    else {
      this.clear("Thinking ...");
      this.askFor(this.agent.value);
    }
  }

  clear(words = "") {
    this.body.replaceChildren(make("p", { class: "quiet" }, words));
  }

  /** Show thoughts about a decision that `heading` names; `taken` is the action that was taken in it, if any. */
  show(thought, taken = null, heading = "") {
    if (!thought) {
      this.clear("No decision here.");
      return;
    }
    const isShown = (action) => action.probability >= LEAST_SHOWN || action.name === taken;
    const shown = thought.actions.filter(isShown), others = thought.actions.filter((action) => !isShown(action));
    const facts = [];
    if (thought.value !== null) {
      const value = formatInterval(thought.value, thought.value_ci95);
      facts.push(["value", `${value} ${thought.unit} (95\u00a0%, ${thought.value_deals} deals)`]);
    } else if (thought.value_note) {
      facts.push(["value", thought.value_note]);
    }
    if (thought.equity !== null) facts.push(["equity", percent(thought.equity)]);
    this.body.replaceChildren(
      heading ? make("h3", {}, heading) : "",
      thought.note ? make("p", {}, `${thought.note}${thought.actions.length ? ":" : "."}`) : "",
      make("ul", { class: "bars" }, ...shown.map((action) => line(action, taken))),
      others.length ? make("details", {},
        make("summary", {}, `${others.length} more, each below 0.05 %`),
        make("ul", { class: "bars" }, ...others.map((action) => line(action, taken)))) : "",
      make("dl", { class: "facts" }, ...facts.flatMap(([name, words]) => [make("dt", {}, name), make("dd", {}, words)])),
      make("p", { class: "quiet" }, explanation(thought)));
  }
}

function line(action, taken) {
  const isTaken = action.name === taken;
  return make("li", { class: isTaken ? "taken" : null },
    make("div", { class: "line" },
      make("span", {}, action.name + (isTaken ? " (taken)" : "")),
      make("span", { class: "share" }, percent(action.probability))),
    bar(action.probability));
}

function bar(share) {
  const fill = make("div", { class: "fill" });
  fill.style.width = `${100 * share}%`;
  return make("div", { class: "track" }, fill);
}

function explanation(thought) {
  const words = [];
  if (thought.value !== null) {
    words.push("Value: what the seat wins on average when cards it cannot see are dealt at random and the agent plays every seat.");
  }
  if (thought.equity !== null) words.push("Equity: against random hands, if nobody folds.");
  return words.join(" ");
}
