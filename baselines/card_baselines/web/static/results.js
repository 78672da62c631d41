// People against agents: the table of results.

import { make } from "./dom.js";

const COLUMNS = ["Who", "Against", "Game", "Hands", "Mean ± 95 %", "AIVAT-corrected", "Unit"];

export class ResultsView {
  constructor(socket) {
    this.element = make("section", {}, make("h2", {}, "Results"), make("p", { class: "quiet" }, "Adding up ..."));
    socket.send("results");
  }

  leave() {}

  receive(message) {
    if (message.type !== "results") return;
    const rows = message.rows.map((row) => make("tr", {},
      make("td", {}, row.who), make("td", {}, row.against.join(", ")),
      make("td", {}, [row.env, row.settings, row.is_duplicate ? "duplicate deals" : ""].join(" ").trim()),
      make("td", { class: "number" }, row.hands.toLocaleString("en")),
      make("td", { class: "number" }, interval(row.mean, row.ci95)),
      make("td", { class: "number" }, row.adjusted_mean === null ? "-" : interval(row.adjusted_mean, row.adjusted_ci95)),
      make("td", {}, row.unit)));
    const head = make("tr", {}, ...COLUMNS.map((name, k) => make("th", { scope: "col", class: k >= 3 && k <= 5 ? "number" : null }, name)));
    this.element.replaceChildren(make("h2", {}, "Results"), rows.length
      ? make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Results" },
        make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)))
      : make("p", { class: "quiet" }, "No hand of a person is finished yet."));
  }
}

function interval(mean, [low, high]) {
  const words = mean.toFixed(2);
  if (low === null) return words;
  const below = mean - low, above = high - mean;
  if (Math.abs(above - below) <= 0.05 * Math.max(above, below)) return `${words} ± ${((high - low) / 2).toFixed(2)}`;
  return `${words} -${below.toFixed(2)} +${above.toFixed(2)}`;
}
