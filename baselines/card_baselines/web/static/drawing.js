// A table as SVG, from the shapes that the server sends; cards that stay move to their new places.

import { cardElement, isFaceUp, positionCard } from "./cards.js";
import { makeSvg } from "./dom.js";

// Words outside the felt take the colours of the page, which may be dark.
const OUTSIDE = { "#181e26": "outside", "#606a78": "outside quiet" };
const FELT_TOP = 60;
const BOLD = 1 / 18; // width of the line around bold letters as a fraction of the font size
const NARROW = matchMedia("(max-width: 40rem)");

export class Drawing {
  constructor() {
    this.svg = makeSvg("svg", { class: "table", role: "img", "aria-label": "the table" });
    this.shapes = makeSvg("g");
    this.cards = makeSvg("g");
    this.svg.append(this.shapes, this.cards);
    this.known = new Map();
    this.scene = null;
    this.onresize = () => this.scene && this.show(this.scene);
    NARROW.addEventListener("change", this.onresize);
  }

  leave() {
    NARROW.removeEventListener("change", this.onresize);
  }

  show(scene) {
    const picture = (NARROW.matches && scene.narrow) || scene.picture;
    this.scene = scene;
    this.svg.toggleAttribute("hidden", picture === null);
    if (picture === null) return;
    this.svg.setAttribute("viewBox", `0 0 ${picture.size[0]} ${picture.size[1]}`);
    this.svg.setAttribute("aria-label", `The table: ${scene.text}`);
    this.shapes.replaceChildren(...picture.shapes.filter((shape) => shape[0] !== "card").map(element));
    this.showCards(picture.shapes.filter((shape) => shape[0] === "card"));
  }

  showCards(shapes) {
    const before = this.known;
    this.known = new Map();
    const counts = new Map();
    const elements = shapes.map(([, x, y, width, card, style]) => {
      const copies = counts.get(card) ?? 0;
      counts.set(card, copies + 1);
      const key = `${card}/${style}/${copies}`;
      let found = isFaceUp(card) ? before.get(key) ?? lookElsewhere(before, card, copies) : undefined;
      const isNew = found === undefined;
      const drawn = isNew || found.style !== style ? cardElement(card, style) : found.element;
      if (!isNew && drawn !== found.element) positionCard(drawn, found.x, found.y, found.width);
      if (isNew) positionCard(drawn, x, y, width);
      if (isNew && before.size > 0 && isFaceUp(card)) drawn.classList.add("new");
      this.known.set(key, { element: drawn, x, y, width, style });
      return { drawn, x, y, width, isNew };
    });
    const wanted = elements.map(({ drawn }) => drawn);
    const isSame = wanted.length === this.cards.children.length &&
      wanted.every((each, index) => each === this.cards.children[index]);
    if (!isSame) this.cards.replaceChildren(...wanted);
    this.cards.getBoundingClientRect(); // where they are now is where they move from
    for (const { drawn, x, y, width } of elements) positionCard(drawn, x, y, width);
  }
}

function lookElsewhere(before, card, copies) {
  for (const style of ["plain", "covered", "shaded"]) {
    const found = before.get(`${card}/${style}/${copies}`);
    if (found) return found;
  }
  return undefined;
}

function element(shape) {
  return { box, disc, text }[shape[0]](...shape.slice(1));
}

// Lines lie inside a shape, as in the server's pictures; SVG puts them half outside.
function box(left, top, width, height, fill, outline, line, radius) {
  const half = outline ? line / 2 : 0;
  return makeSvg("rect", {
    x: left + half, y: top + half, width: width - 2 * half, height: height - 2 * half,
    rx: Math.max(0, radius - half), fill: fill ?? "none", stroke: outline, "stroke-width": outline ? line : null,
  });
}

function disc(x, y, radius, fill, outline, line) {
  return makeSvg("circle", {
    cx: x, cy: y, r: radius - (outline ? line / 2 : 0), fill, stroke: outline, "stroke-width": outline ? line : null,
  });
}

function text(x, y, words, size, color, align, isBold) {
  const isOutside = align === "left" && y < FELT_TOP && color in OUTSIDE;
  const made = makeSvg("text", {
    x, y, "font-size": size, fill: isOutside ? null : color, stroke: isBold && !isOutside ? color : null,
    "stroke-width": isBold ? size * BOLD : 0,
    class: isOutside ? OUTSIDE[color] : null, "text-anchor": { left: "start", middle: "middle", right: "end" }[align],
  });
  made.textContent = words;
  return made;
}
