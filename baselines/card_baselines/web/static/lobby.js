// The host's first page: open a table, see those that are open.

import { make, setOptions, showStatus } from "./dom.js";

export class LobbyView {
  constructor(socket, games, takesSeeds, go) {
    this.socket = socket;
    this.games = games;
    this.go = go;
    this.game = make("select", { id: "game", onchange: () => this.chooseGame() });
    this.seats = make("select", { id: "seats", onchange: () => this.ask() });
    this.settings = make("input", { id: "settings", type: "text", maxlength: 150, onchange: () => this.ask() });
    this.seed = make("input", { id: "seed", type: "number", min: 0, step: 1, placeholder: "none: secret deals" });
    this.block = make("input", { id: "block", type: "number", min: 0, max: 1000, step: 1, value: 0 });
    this.players = make("fieldset", {}, make("legend", {}, "Who plays"));
    this.list = make("div", { class: "scroll" });
    this.opener = make("button", { class: "main", type: "submit", disabled: true }, "Open the table");
    const form = make("form", { onsubmit: (event) => this.open(event) },
      make("h2", {}, "A new table"),
      labelled("Game", this.game), labelled("Seats", this.seats), this.players,
      make("details", {}, make("summary", {}, "More settings"),
        make("div", { class: "lobby-more" },
          labelled("Settings, such as stacks=50", this.settings),
          takesSeeds ? labelled("Seed (anybody who knows it knows all cards)", this.seed) : null,
          labelled("Deals again with seats exchanged, after", this.block))),
      this.opener);
    this.element = make("div", { class: "lobby" }, form, make("section", {}, make("h2", {}, "Open tables"), this.list));
    setOptions(this.game, games.map((game) => [game.id, game.summary]));
    this.chooseGame();
    socket.send("sessions");
  }

  leave() {}

  chooseGame() {
    const game = this.games.find((each) => each.id === this.game.value);
    setOptions(this.seats, game.seats.map((count) => [String(count), String(count)]));
    this.seats.disabled = game.seats.length === 1;
    this.settings.value = game.settings;
    this.ask();
  }

  words() {
    const count = this.seats.disabled ? "" : `num_players=${this.seats.value} `;
    return (count + this.settings.value).trim();
  }

  ask() {
    this.opener.disabled = true;
    showStatus("Asking which agents play this ...");
    this.asked = { env: this.game.value, settings: this.words() };
    this.socket.send("offer", this.asked);
  }

  receive(message) {
    if (message.type === "offer" && message.env === this.asked.env && message.settings === this.asked.settings) {
      this.listPlayers(message);
    } else if (message.type === "opened") this.opened(message);
    else if (message.type === "sessions") this.listSessions(message.sessions);
  }

  listPlayers({ seats, agents }) {
    showStatus("");
    const game = this.games.find((each) => each.id === this.game.value);
    const names = agents.map((agent) => agent.name);
    const best = names.filter((name) => name.startsWith("ppo_"))[0] ?? game.panel.filter((name) => names.includes(name)).at(-1) ?? names[0];
    const entries = [["", "a person"], ...agents.map((agent) => [agent.name, agent.name])];
    const rows = Array.from({ length: seats }, (_, index) => {
      const choice = make("select", { "aria-label": `Player ${index + 1}`, class: "player" });
      setOptions(choice, entries, index === 0 ? "" : best);
      return make("div", { class: "row" }, make("span", {}, `${index + 1}.`), choice);
    });
    this.players.replaceChildren(make("legend", {}, "Who plays"), ...rows);
    this.opener.disabled = false;
  }

  open(event) {
    event.preventDefault();
    const players = [...this.players.querySelectorAll(".player")].map((choice) => choice.value);
    const people = players.filter((player) => player === "").length;
    const names = people === 1 ? ["you"] : Array.from({ length: people }, (_, k) => `person ${k + 1}`);
    const seed = this.seed.value === "" ? {} : { seed: Number(this.seed.value) };
    this.socket.send("open", { ...this.asked, players, names, block: Number(this.block.value), ...seed });
  }

  opened({ session, tokens }) {
    const people = tokens.filter((token) => token !== null);
    if (people.length === 1) this.go({ seat: people[0] });
    else if (people.length === 0) this.go({ view: "watch", session });
    else this.socket.send("sessions");
  }

  listSessions(sessions) {
    if (!sessions.length) {
      this.list.replaceChildren(make("p", { class: "quiet" }, "None yet."));
      return;
    }
    const rows = sessions.map((each) => make("tr", {},
      make("td", {}, `${each.session}`),
      make("td", {}, each.env, make("br"), make("span", { class: "quiet" }, each.started.replace("T", " ").slice(0, 16))),
      make("td", {}, ...seatLinks(each)),
      make("td", {}, make("button", {
        "aria-label": `End session ${each.session}`, onclick: () => this.socket.send("close", { session: each.session }),
      }, "End"))));
    this.list.replaceChildren(make("table", {},
      make("thead", {}, make("tr", {}, ...["No.", "Game", "Seats", "Close"].map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...rows)));
  }
}

/** Links of people's seats, to be passed on, and the names of agents. */
function seatLinks(session) {
  const parts = session.players.flatMap((player, k) => {
    const words = player.agent === null
      ? make("a", { href: `/#seat=${session.tokens[k]}`, title: "the link of this seat" }, player.name) : player.name;
    return k ? [", ", words] : [words];
  });
  const isWatched = session.players.every((player) => player.agent !== null);
  return isWatched ? [...parts, make("br"), make("a", { href: `#view=watch&session=${session.session}` }, "watch")] : parts;
}

function labelled(words, field) {
  return make("label", { for: field.id }, words, field);
}
