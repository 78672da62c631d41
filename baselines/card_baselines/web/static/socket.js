// The WebSocket to the server: sends the token, reconnects when the connection breaks, passes messages on.

import { showStatus } from "./dom.js";

const FIRST_WAIT = 300, LONGEST_WAIT = 5000;
const REFUSED = 4403;

export class Socket {
  constructor(token, listen) {
    this.token = token;
    this.listen = listen;
    this.wait = FIRST_WAIT;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}/socket`);
    this.socket.onopen = () => {
      this.wait = FIRST_WAIT;
      this.send("hello", { token: this.token });
    };
    this.socket.onmessage = (event) => this.listen(JSON.parse(event.data));
    this.socket.onclose = (event) => {
      if (this.isLeft) return;
      if (event.code === REFUSED) {
        this.listen({ type: "refused" });
        return;
      }
      showStatus("The connection is broken: trying again ...", true);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
    };
  }

  send(type, fields = {}) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ type, ...fields }));
  }

  leave() {
    this.isLeft = true;
    this.socket.close();
  }
}
