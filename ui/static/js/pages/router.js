/** Which tools a message would reach, and why: scores, the threshold, the words that matched. */
import { button, h, icon, mark } from "../dom.js";
import { t } from "../i18n.js";
import { tierName } from "../offered.js";
import { follow } from "../page.js";
import { command } from "../server.js";
import { visible } from "../text.js";
import { labelled } from "./labelled.js";

export function router() {
  const input = h("textarea", { class: "cs-in", id: "ro-q", rows: 2, maxlength: 2000 });
  const status = h("p", { class: "cs-note", role: "status" });
  const answer = h("div", {});
  const go = button(t("router.go"), { cls: "solid", on: score });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); score(); }
  });

  async function score() {
    const text = input.value.trim();
    if (!text) return;
    const reply = await command("route", { query: text });
    status.textContent = reply.ok ? reply.notice ?? "" : reply.text;
    if (reply.ok) answer.replaceChildren(...drawn(reply));
  }

  const element = h("div", { class: "cs-content" }, h("p", { class: "cs-pagelead" }, t("router.lead")),
    h("div", { class: "cs-routeq" }, h("label", { for: "ro-q" }, t("router.q")), input, go), status, answer, labelled());
  follow(element, (shell) => {
    if (input.value || !shell.examples.length) return;
    input.value = shell.examples[0].text;
    score();
  });
  return { element, refresh: () => {} };
}

function drawn({ rows, threshold }) {
  const passed = rows.filter((row) => row.passed);
  const below = rows.filter((row) => !row.passed);
  const most = Math.max(...rows.map((row) => row.score), threshold, 0.001);
  const list = (chosen) => h("ol", { class: "cs-routes" }, chosen.map((row) => item(row, threshold / most, most)));
  return [
    h("div", { class: "cs-panel-h" }, h("h2", {}, t("router.passed", { n: passed.length })), h("span", { class: "cs-note" }, t("router.threshold", { v: threshold.toFixed(2) }))),
    passed.length ? list(passed) : h("p", { class: "cs-note cs-zero" }, t("router.zero")),
    h("div", { class: "cs-panel-h" }, h("h2", {}, t("router.below", { n: below.length }))), list(below),
  ];
}

function item(row, threshold, most) {
  const why = row.words.length ? [h("span", { class: "cs-sr" }, t("router.matched") + ": "), row.words.map((word) => h("span", { class: "cs-word" }, visible(word)))] : h("span", { class: "cs-empty" }, t("router.nomatch"));
  return h("li", { class: "cs-route" + (row.passed ? "" : " below") },
    h("div", { class: "cs-route-h" }, h("span", {}, visible(row.title)), h("code", {}, visible(row.tool)), row.sign ? h("span", { class: "cs-signneed" }, mark(), t("router.sign")) : null, h("span", { class: "num" }, row.score.toFixed(2))),
    h("div", { class: "cs-hbar thr", style: { "--t": 100 * threshold + "%" }, "aria-hidden": "true" }, h("i", { style: { "--p": (100 * Math.max(row.score, 0)) / most + "%" } })),
    h("p", { class: "cs-words" }, why, h("span", { class: "cs-note" }, icon("route"), " ", tierName(row.tier))));
}
