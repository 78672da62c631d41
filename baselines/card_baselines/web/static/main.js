// Starts the page: reads the token and the view from the link, connects, and shows the view.

import { loadCards } from "./cards.js";
import { loadPreference, make, savePreference, showStatus } from "./dom.js";
import { LobbyView } from "./lobby.js";
import { ReplayView } from "./replay.js";
import { ResultsView } from "./results.js";
import { Socket } from "./socket.js";
import { TableView } from "./table.js";
import { WatchView } from "./watch.js";

let socket = null, view = null, games = [], takesSeeds = false, shownLink = "";
const SLOW_AFTER = 2000;
const main = document.getElementById("main");

function state() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** Change the link; `isSame` keeps the view that is shown. */
function go(wanted, isSame = false) {
  const link = `#${new URLSearchParams(wanted)}`;
  if (isSame) {
    shownLink = link;
    history.replaceState(null, "", link);
  } else location.hash = link;
}

function start() {
  const { host, seat } = state();
  if (host) {
    savePreference("host", host);
    history.replaceState(null, "", "#view=lobby"); // the token stays out of links that are passed on
  }
  const token = seat ?? loadPreference("host");
  socket?.leave();
  leaveView();
  if (!token) {
    showStatus("Open the link that card-envs serve printed, or the link of a seat.", true);
    return;
  }
  showWaiting(seat ? "Opening the table ..." : "Opening ...");
  socket = new Socket(token, receive);
}

/** Show that something takes time, after some seconds with the reason. */
function showWaiting(words) {
  const reason = make("p", { class: "quiet", hidden: true },
    "The first table of a game takes up to a minute: its rules are compiled, and kept for the next time.");
  setTimeout(() => reason.removeAttribute("hidden"), SLOW_AFTER);
  main.replaceChildren(make("div", { class: "waiting", role: "status" }, make("p", {}, words), reason));
}

function leaveView() {
  view?.leave();
  view = null;
  main.replaceChildren();
}

function show(made) {
  view = made;
  main.replaceChildren(made.element);
}

function receive(message) {
  if (message.type === "welcome") {
    showStatus("");
    welcome(message);
  } else if (message.type === "refused") {
    main.replaceChildren();
    showStatus("This link opens nothing: its session is ended, or the server has a new link.", true);
  } else if (message.type === "error") {
    showStatus(message.message, true);
    view?.refused?.();
  } else view?.receive?.(message);
}

function welcome(message) {
  const isHost = message.role === "host";
  document.getElementById("nav").hidden = !(isHost || loadPreference("host"));
  if (isHost) {
    games = message.games;
    takesSeeds = message.takes_seeds;
    showHostView();
  } else {
    leaveView(); // after a break too: the table comes next
    document.title = `${message.env} - card-envs`;
    show(new TableView(socket));
  }
}

function showHostView() {
  const wanted = state();
  leaveView();
  shownLink = location.hash;
  document.title = `${wanted.view ?? "tables"} - card-envs`;
  if (wanted.view === "replay") show(new ReplayView(socket, wanted, go));
  else if (wanted.view === "results") show(new ResultsView(socket));
  else if (wanted.view === "watch") show(new WatchView(socket, wanted.session));
  else show(new LobbyView(socket, games, takesSeeds, go));
  for (const link of document.querySelectorAll("nav a")) {
    link.toggleAttribute("aria-current", link.hash === `#view=${wanted.view ?? "lobby"}`);
  }
}

function initPreferences() {
  const speed = document.getElementById("speed"), theme = document.getElementById("theme");
  const animations = document.getElementById("animations");
  speed.value = loadPreference("speed") ?? "350";
  theme.value = loadPreference("theme") ?? "";
  animations.checked = (loadPreference("animations") ?? "yes") === "yes";
  const apply = () => {
    savePreference("speed", speed.value);
    savePreference("theme", theme.value);
    savePreference("animations", animations.checked ? "yes" : "no");
    document.documentElement.dataset.theme = theme.value;
    document.body.classList.toggle("moves-cards", animations.checked);
  };
  for (const field of [speed, theme, animations]) field.addEventListener("change", apply);
  apply();
}

window.addEventListener("hashchange", () => {
  if (location.hash === shownLink) return;
  const { host, seat } = state();
  if (host || seat || socket === null || socket.token !== loadPreference("host")) start();
  else showHostView();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
document.addEventListener("change", (event) => {
  if (event.target.id === "thinker") savePreference("thinker", event.target.value);
});
initPreferences();
await loadCards();
start();
