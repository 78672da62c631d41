// Recorded hands, decision by decision, with an agent's advice.

import { loadPreference, make, setOptions, showStatus } from "./dom.js";
import { Drawing } from "./drawing.js";
import { Panel } from "./panel.js";

export class ReplayView {
  constructor(socket, state, go) {
    this.socket = socket;
    this.go = go;
    this.name = state.name ?? "";
    this.hand = Number(state.hand ?? 0);
    this.step = Number(state.step ?? 0);
    this.agent = state.agent ?? "";
    this.recordings = make("select", { id: "recording", onchange: () => this.choose(this.recordings.value) });
    this.hands = make("select", { id: "hand", onchange: () => this.move(Number(this.hands.value), 0) });
    this.drawing = new Drawing();
    this.slider = make("input", { type: "range", min: 0, value: 0, "aria-label": "Decision", oninput: () => this.move(this.hand, Number(this.slider.value)) });
    this.status = make("p", { class: "turn", "aria-live": "polite" });
    this.moves = make("ol", { class: "log", tabindex: "0", "aria-label": "Decisions" });
    this.panel = new Panel((agent) => { this.agent = agent; this.ask(); });
    this.words = make("pre");
    const step = (words, label, by, key) => make("button", { "aria-label": label, onclick: () => this.go_by(by) }, words, make("kbd", {}, key));
    this.element = make("div", {},
      make("div", { class: "row" }, make("label", { for: "recording" }, "Recording", this.recordings), make("label", { for: "hand" }, "Hand", this.hands)),
      make("div", { class: "play" },
        make("div", { class: "board" }, this.drawing.svg,
          make("div", { class: "controls" }, this.status,
            make("div", { class: "row" }, step("Back", "One decision back", -1, "←"), this.slider, step("On", "One decision on", 1, "→")),
            make("div", { class: "row" }, ...["png", "gif", "apng"].map((kind) => make("button", { onclick: () => this.save(kind) }, SAVES[kind])))),
          make("details", {}, make("summary", {}, "The table as text"), this.words),
          make("aside", { class: "moves", "aria-label": "Decisions" }, make("h2", {}, "Decisions"), this.moves)),
        make("div", {}, this.panel.element)));
    this.onkey = (event) => {
      if (event.target.closest?.("input, select")) return;
      if (event.key === "ArrowLeft") this.go_by(-1);
      if (event.key === "ArrowRight") this.go_by(1);
    };
    document.addEventListener("keydown", this.onkey);
    this.panel.clear("Choose an agent to see what it would do here.");
    socket.send("recordings");
  }

  leave() {
    document.removeEventListener("keydown", this.onkey);
    this.drawing.leave();
  }

  receive(message) {
    if (message.type === "recordings") this.list(message.recordings);
    else if (message.type === "recording") this.open(message);
    else if (message.type === "moment") this.show(message);
  }

  list(recordings) {
    if (!recordings.length) {
      showStatus("Nothing is recorded yet: play a hand, or start the server with --replay FILE.");
      return;
    }
    setOptions(this.recordings, recordings.map((each) => [each.name, each.title]), this.name);
    this.socket.send("recording", { name: this.recordings.value });
  }

  choose(name) {
    this.hand = this.step = 0;
    this.socket.send("recording", { name });
  }

  open(recording) {
    this.name = recording.name;
    this.panel.offer(recording.agents, this.agent);
    setOptions(this.hands, recording.hands.map((words, k) => [String(k), words]), String(this.hand));
    this.ask();
  }

  move(hand, step) {
    this.hand = hand;
    this.step = step;
    this.ask();
  }

  go_by(steps) {
    const step = this.step + steps;
    if (this.last && step >= 0 && step <= this.last.steps) this.move(this.hand, step);
  }

  ask() {
    if (this.agent === "") this.panel.clear("Choose an agent to see what it would do here.");
    this.socket.send("moment", { name: this.name, hand: this.hand, step: this.step, agent: this.agent });
  }

  show(moment) {
    if (moment.step !== this.step) return; // an answer that a later question has overtaken
    this.last = moment;
    this.drawing.show(moment.scene);
    this.words.textContent = moment.scene.text;
    this.slider.max = moment.steps;
    this.slider.value = moment.step;
    this.hands.value = String(this.hand);
    const names = moment.scene.names;
    const next = moment.step < moment.steps ? `${names[moment.actors[moment.step]]} to act` : "the hand is over";
    this.status.textContent = `Decision ${moment.step} of ${moment.steps}: ${next}.`;
    this.moves.replaceChildren(...moment.moves.map((words, k) => make("li", {},
      make("button", { "aria-current": k === moment.step ? "step" : null, onclick: () => this.move(this.hand, k) },
        `${names[moment.actors[k]]}: ${words}`))));
    this.moves.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    if (this.agent !== "") this.panel.show(moment.thought, moment.taken);
    this.go({ view: "replay", name: this.name, hand: this.hand, step: this.step, agent: this.agent }, true);
  }

  async save(kind) {
    const query = new URLSearchParams({ name: this.name, hand: this.hand, step: this.step });
    const answer = await fetch(`/picture/${kind}?${query}`, { headers: { authorization: `Bearer ${loadPreference("host")}` } });
    if (!answer.ok) {
      showStatus(await answer.text(), true);
      return;
    }
    const link = make("a", { href: URL.createObjectURL(await answer.blob()), download: `hand${this.hand + 1}.${kind === "apng" ? "png" : kind}` });
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

const SAVES = { png: "Save picture", gif: "Save hand as GIF", apng: "Save hand as APNG" };
