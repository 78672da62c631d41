// Agents against each other, live.

import { make } from "./dom.js";
import { TableView } from "./table.js";

export class WatchView extends TableView {
  constructor(socket, session) {
    super(socket);
    this.session = Number(session);
    this.pause = make("select", { "aria-label": "Speed", onchange: () => this.ask() },
      ...[["-1", "stand still"], ["2", "slow"], ["0.7", "unhurried"], ["0.15", "fast"], ["0", "as fast as possible"]].map(
        ([value, words]) => make("option", { value, selected: value === "0.7" }, words)));
    this.panel.element.replaceWith(make("aside", {}, make("h2", {}, "Agents play"), make("label", {}, "Speed", this.pause)));
    this.ask();
  }

  ask() {
    this.socket.send("watch", { session: this.session, pause: Number(this.pause.value) });
  }

  queue(table) {
    this.show(table); // the server sets the pace
  }
}
