// Cards as SVG symbols, from the geometry that the server draws pictures with.

import { makeSvg } from "./dom.js";

const UNIT = 100; // width of a symbol: lengths in the geometry are fractions of it
const NO_CARD = 255;
const TWO_FIGURES = 1.05; // width of "10" as a fraction of its font size
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "ten", "jack", "queen", "king", "ace"];
const SUITS = ["clubs", "diamonds", "hearts", "spades"];
let geometry = null;

export async function loadCards() {
  geometry = await (await fetch("/cards.json")).json();
  const symbols = [symbol(NO_CARD, "plain")];
  for (let card = 0; card < geometry.ranks.length; card++) {
    symbols.push(symbol(card, "plain"), symbol(card, "covered"));
  }
  document.getElementById("card-symbols").replaceChildren(makeSvg("defs", {}, ...symbols));
}

export function isFaceUp(card) {
  return card !== NO_CARD;
}

export function cardName(card) {
  return isFaceUp(card) ? `${RANKS[Math.floor(card / 4)]} of ${SUITS[card % 4]}` : "card face down";
}

/** A card whose middle is at (0, 0), moved by `positionCard`. */
export function cardElement(card, style) {
  const face = style === "covered" ? "covered" : "plain";
  const group = makeSvg("g", { class: "card" }, makeSvg("use", { href: `#card-${card}-${isFaceUp(card) ? face : "plain"}` }));
  if (style === "shaded") {
    group.append(sheet({ fill: geometry.shade_color, opacity: geometry.shade }));
  }
  return group;
}

export function positionCard(element, x, y, width) {
  const scale = width / UNIT;
  element.style.transform =
    `translate(${x - width / 2}px, ${y - (width * geometry.ratio) / 2}px) scale(${scale})`;
}

/** A picture of one card for a button. */
export function cardPicture(card) {
  const size = `0 0 ${UNIT} ${UNIT * geometry.ratio}`;
  return makeSvg("svg", { viewBox: size, "aria-hidden": "true", focusable: "false" },
    makeSvg("use", { href: `#card-${card}-plain` }));
}

function symbol(card, style) {
  const edge = geometry.edge * UNIT;
  const parts = [
    sheet({ fill: geometry.edge_color }),
    makeSvg("rect", {
      x: edge, y: edge, width: UNIT - 2 * edge, height: UNIT * geometry.ratio - 2 * edge,
      rx: geometry.corner * UNIT - edge, fill: "#ffffff",
    }),
    ...(isFaceUp(card) ? face(card, style) : back()),
  ];
  return makeSvg("g", { id: `card-${card}-${style}` }, ...parts);
}

function sheet(looks) {
  return makeSvg("rect", {
    width: UNIT, height: UNIT * geometry.ratio, rx: geometry.corner * UNIT, ...looks,
  });
}

function face(card, style) {
  const [rankX, rankY, rankSize, suitX, suitY, suitSize] = geometry.faces[style][card].map((length) => length * UNIT);
  const color = geometry.suit_colors[card % 4];
  const rank = makeSvg("text", {
    x: rankX, y: rankY + geometry.baseline * rankSize, "font-size": rankSize, "font-weight": 600,
    "text-anchor": "middle", fill: color,
  });
  rank.textContent = geometry.ranks[card];
  if (rank.textContent.length > 1) { // fonts differ in width: two figures may not leave the card
    rank.setAttribute("textLength", rankSize * TWO_FIGURES);
    rank.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  const outlines = geometry.suits[card % 4].map((d) => makeSvg("path", { d }));
  const suit = makeSvg("g", {
    transform: `translate(${suitX} ${suitY}) scale(${suitSize})`, fill: color,
  }, ...outlines);
  return [rank, suit];
}

function back() {
  const { margin, corner, step, line, color, line_color } = geometry.back;
  const [width, height] = [UNIT, UNIT * geometry.ratio];
  const inner = margin * UNIT * 1.9;
  const [columns, rows] = [width, height].map((side) => Math.round((side - 2 * inner) / (step * UNIT)));
  const reach = step * UNIT * 0.36;
  let lozenges = "";
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      const x = inner + ((column + 0.5) * (width - 2 * inner)) / columns;
      const y = inner + ((row + 0.5) * (height - 2 * inner)) / rows;
      lozenges += `M${x} ${y - reach}l${reach} ${reach}l${-reach} ${reach}l${-reach} ${-reach}z`;
    }
  }
  return [
    makeSvg("rect", {
      x: margin * UNIT, y: margin * UNIT, width: width - 2 * margin * UNIT, height: height - 2 * margin * UNIT,
      rx: corner * UNIT, fill: color,
    }),
    makeSvg("path", { d: lozenges, fill: "none", stroke: line_color, "stroke-width": line * UNIT }),
  ];
}
