// People against agents: the table of results, in the words of `card-envs results`.

import { make } from "./dom.js";

const NUMBERS = ["hands", "mean (± 95 %)", "control variates (± 95 %)"];

export class ResultsView {
  constructor(socket) {
    this.element = make("section", {}, make("h2", {}, "Results"), make("p", { class: "waiting" }, "Adding up ..."));
    socket.send("results");
  }

  leave() {}

  receive({ type, columns, rows }) {
    if (type !== "results") return;
    const style = (column) => (NUMBERS.includes(column) ? "number" : null);
    const head = make("tr", {}, ...columns.map((name) => make("th", { scope: "col", class: style(name) }, name)));
    const lines = rows.map((cells) => make("tr", {},
      ...cells.map((cell, k) => make("td", { class: style(columns[k]), "data-column": columns[k].replace("(± 95 %)", "(±\u00a095\u00a0%)") }, cell))));
    this.element.replaceChildren(make("h2", {}, "Results"), rows.length
      ? make("table", { class: "results" }, make("thead", {}, head), make("tbody", {}, ...lines))
      : make("p", { class: "quiet" }, "No hand of a person is finished yet."));
  }
}
