// The host's first page: open a table, see those that are open, and the agents of the chosen game.

import { formatInterval, make, setOptions, showStatus } from "./dom.js";

const COMPILING = "the first table of a game takes up to a minute, while its rules are compiled";

export class LobbyView {
  constructor(socket, games, takesSeeds, go) {
    this.socket = socket;
    this.games = games;
    this.go = go;
    this.game = make("select", { id: "game", onchange: () => this.chooseGame() });
    this.seats = make("select", { id: "seats", onchange: () => this.ask() });
    this.settings = make("input", { id: "settings", type: "text", maxlength: 150, placeholder: "stacks=50", onchange: () => this.ask() });
    this.seed = make("input", { id: "seed", type: "number", min: 0, step: 1, placeholder: "none: secret deals" });
    this.block = make("input", { id: "block", type: "number", min: 0, max: 1000, step: 1, value: 0 });
    this.players = make("fieldset", {}, make("legend", {}, "Who plays"));
    this.sessions = make("ul", { class: "sessions" });
    this.agents = make("div", {});
    this.opener = make("button", { class: "main", type: "submit", disabled: true }, "Open the table");
    const form = make("form", { onsubmit: (event) => this.open(event) },
      make("h2", {}, "A new table"),
      make("div", { class: "fields" }, ...field("Game", this.game), ...field("Seats", this.seats)),
      this.players,
      make("details", {}, make("summary", {}, "More settings"),
        make("div", { class: "fields" },
          ...field("Settings", this.settings),
          ...(takesSeeds ? field("Seed", this.seed, "Anybody who knows it knows all cards.") : []),
          ...field("Repeat deals after", this.block, "After so many deals, the same deals come again with seats exchanged; 0: never."))),
      this.opener);
    this.element = make("div", { class: "lobby" },
      make("div", {}, form, make("section", {}, make("h2", {}, "Open tables"), this.sessions)),
      this.agents);
    setOptions(this.game, games.map((game) => [game.id, gameName(game)]));
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

  listPlayers(offer) {
    showStatus("");
    const { agents, measured } = offer;
    const known = new Map(agents.map((agent) => [agent.name, agent]));
    const choices = Array.from({ length: offer.seats }, (_, index) => {
      const about = make("p", { class: "quiet", id: `about-${index + 1}` });
      const choice = make("select", { "aria-label": `Player ${index + 1}`, "aria-describedby": about.id, class: "player" },
        make("option", { value: "" }, "a person"),
        group("Agents", agents.filter((agent) => agent.style)), group("Others", agents.filter((agent) => !agent.style)));
      const choose = (name) => {
        choice.value = name;
        about.textContent = name === "" ? "Plays on this page." : describe(known.get(name), measured);
      };
      choice.addEventListener("change", () => choose(choice.value));
      choose(index === 0 ? "" : offer.default);
      return { choice, choose, row: make("div", { class: "row" }, make("span", {}, `${index + 1}.`), make("div", {}, choice, about)) };
    });
    this.players.replaceChildren(make("legend", {}, "Who plays"), ...choices.map(({ row }) => row));
    this.agents.replaceChildren(...agentTable(agents.filter((agent) => agent.style && !agent.name.includes(":")), measured,
      (name) => choices.filter(({ choice }) => choice.value !== "").forEach(({ choose }) => choose(name))));
    this.opener.disabled = false;
  }

  open(event) {
    event.preventDefault();
    const players = [...this.players.querySelectorAll(".player")].map((choice) => choice.value);
    const people = players.filter((player) => player === "").length;
    const names = people === 1 ? ["you"] : Array.from({ length: people }, (_, k) => `person ${k + 1}`);
    const seed = this.seed.value === "" ? {} : { seed: Number(this.seed.value) };
    this.opener.disabled = true;
    showStatus(`Opening the table: ${COMPILING} ...`);
    this.socket.send("open", { ...this.asked, players, names, block: Number(this.block.value), ...seed });
  }

  refused() {
    this.opener.disabled = false;
  }

  opened({ session, tokens }) {
    const people = tokens.filter((token) => token !== null);
    this.opener.disabled = false;
    showStatus("");
    if (people.length === 1) this.go({ seat: people[0] });
    else if (people.length === 0) this.go({ view: "watch", session });
    else this.socket.send("sessions");
  }

  listSessions(sessions) {
    this.sessions.replaceChildren(...(sessions.length ? sessions.map((each) => this.sessionItem(each))
      : [make("li", { class: "quiet" }, "None yet: they stay here until you end them, also when the server is restarted.")]));
  }

  sessionItem(session) {
    return make("li", {},
      make("div", {},
        make("strong", {}, session.env), ` ${session.started.replace("T", " ").slice(0, 16)}`,
        make("div", {}, ...seatLinks(session))),
      make("button", { "aria-label": `End session ${session.session}`, onclick: () => this.socket.send("close", { session: session.session }) }, "End"));
  }
}

/** The name of a game: its line in lists without what comes after it, such as the numbers of seats. */
function gameName(game) {
  return game.summary.replace(/(, |: | for ).*$/, "");
}

function group(label, agents) {
  return agents.length ? make("optgroup", { label }, ...agents.map((agent) => make("option", { value: agent.name }, agent.name))) : null;
}

function describe(agent, measured) {
  const how = agent.style || agent.summary.replace(/\.$/, "");
  return agent.strength === null ? `${how}.` : `${how}; ${strengthWords(agent, measured)}.`;
}

function strengthWords(agent, measured) {
  if (agent.name === measured.reference) return "the reference";
  return `wins ${formatStrength(agent, measured)} ${measured.unit} from ${measured.reference}`;
}

function formatStrength({ name, strength }, measured) {
  if (name === measured.reference) return "0";
  return formatInterval(strength.mean, [strength.low, strength.high], measured.unit.endsWith("/100") ? 0 : 2);
}

/** Elements that list agents with strength and style; `choose` is called with the name of one. */
function agentTable(agents, measured, choose) {
  if (!agents.length) return [];
  const rows = agents.map((agent) => make("tr", {},
    make("td", {}, make("button", { class: "link", title: "let it play in all seats of agents", onclick: () => choose(agent.name) }, agent.name)),
    measured.unit ? make("td", { class: "number" }, agent.strength === null ? "" : formatStrength(agent, measured)) : null,
    make("td", {}, agent.style)));
  const head = ["agent", ...(measured.unit ? [measured.unit] : []), "how it plays"];
  const words = measured.unit
    ? `Numbers: what it wins from ${measured.reference} at all other seats with default settings, with 95 % intervals; no ranking. ` : "";
  return [make("h2", {}, "Agents of this game"),
    make("table", { class: "agents" },
      make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col", class: name === measured.unit ? "number" : null }, name)))),
      make("tbody", {}, ...rows)),
    make("p", { class: "quiet" }, `${words}Choose a name to play against it.`)];
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

/** A label and a field for a grid of two columns, and a note below the field. */
function field(words, input, note = "") {
  return [make("label", { for: input.id }, words), make("div", {}, input, note ? make("p", { class: "quiet" }, note) : null)];
}
