/** Bars by day as plain SVG, each with a title; the same figures stand in a table below. */
import { s } from "./dom.js";
import { lang, number } from "./i18n.js";

const [H, LEFT, BOTTOM, TOP] = [220, 52, 26, 8];
const small = () => matchMedia("(max-width: 640px)").matches;

/** A round number at or above `n`, so that the axis has readable marks. */
export function ceiling(n) {
  const step = 10 ** Math.floor(Math.log10(Math.max(n, 4)));
  return [1, 2, 4, 5, 8, 10].map((m) => m * step).find((top) => top >= n);
}

/** `days` are `{day, title, parts}`; `parts` are stacked, `classes` colours them in that order. */
export function chart(days, classes, label) {
  const width = small() ? 340 : 960;
  const top = ceiling(Math.max(...days.map((d) => d.parts.reduce((a, b) => a + b, 0))));
  const y = (n) => TOP + (H - TOP - BOTTOM) * (1 - n / top);
  const step = (width - LEFT) / days.length;
  const named = Math.ceil(days.length / (small() ? 5 : 14));
  const svg = s("svg", { viewBox: `0 0 ${width} ${H}`, class: "cs-chart", role: "img", "aria-label": label });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    svg.append(s("line", { x1: LEFT, x2: width, y1: y(top * share), y2: y(top * share), class: share ? "grid" : "axis" }), s("text", { x: LEFT - 8, y: y(top * share) + 4, "text-anchor": "end" }, short(top * share)));
  }
  days.forEach((day, i) => svg.append(bar(day, LEFT + step * i, step, y, classes), ...(i % named ? [] : [s("text", { x: LEFT + step * (i + 0.5), y: H - 8, "text-anchor": "middle" }, dayName(day.day))])));
  return svg;
}

function bar(day, x, step, y, classes) {
  const width = Math.min(30, step * 0.62);
  const group = s("g", {}, s("title", {}, day.title));
  let below = 0;
  day.parts.forEach((n, i) => {
    if (n > 0) group.append(s("rect", { x: x + (step - width) / 2, y: y(below + n), width, height: Math.max(y(below) - y(below + n), 1), class: classes[i] }));
    below += n;
  });
  return group;
}

const short = (n) => (n >= 1000 ? n.toLocaleString(lang, { notation: "compact", maximumFractionDigits: 1 }) : number(n));

/** "30 Nov" of an ISO day, whatever the browser's time zone is. */
export const dayName = (iso) => new Date(iso + "T00:00:00Z").toLocaleDateString(lang === "ru" ? "ru-RU" : "en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
