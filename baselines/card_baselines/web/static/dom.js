// Small helpers to make elements; texts are always set as text, never as markup.

export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function makeSvg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

export function setOptions(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, words]) =>
    make("option", { value, selected: value === chosen }, words)));
}

export function showStatus(words, isError = false) {
  const status = document.getElementById("status");
  status.textContent = words;
  status.classList.toggle("error", isError);
}

export function formatSigned(amount) {
  const rounded = Math.round(amount * 100) / 100;
  return (rounded > 0 ? "+" : "") + rounded.toLocaleString("en");
}

/** A mean with its interval, such as "+1.20 ± 0.30"; "+1.20 (+0.90 to +1.80)" if one side is longer by more than 5 %. */
export function formatInterval(mean, [low, high], digits = 2) {
  const style = { minimumFractionDigits: digits, maximumFractionDigits: digits, roundingMode: "halfEven" };
  const signed = (amount) => amount.toLocaleString("en", { ...style, signDisplay: "always" });
  const below = mean - low, above = high - mean;
  if (Math.abs(above - below) <= 0.05 * Math.max(above, below)) {
    return `${signed(mean)} ± ${((high - low) / 2).toLocaleString("en", style)}`;
  }
  return `${signed(mean)} (${signed(low)} to ${signed(high)})`;
}

export function percent(share) {
  return `${(100 * share).toFixed(share >= 0.0995 || share === 0 ? 0 : 1)} %`;
}

export function savePreference(name, value) {
  try { localStorage.setItem(name, value); } catch { /* private windows may refuse: then nothing is stored */ }
}

export function loadPreference(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}
