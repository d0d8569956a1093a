/** Under an answer: copy it, rate it, have it made anew, ask in other words; and what it cost. */
import { announce, button, h, icon } from "./dom.js";
import { t } from "./i18n.js";
import { usage } from "./notes.js";
import { page } from "./page.js";
import { command } from "./server.js";

export function actions(v) {
  const more = h("div", { class: "cs-act-more" });
  const status = h("p", { class: "cs-note", role: "status" });
  const [up, down] = [1, -1].map((value) => small(value > 0 ? "act.up" : "act.down", value > 0 ? "up1" : "down1", () => press(value)));
  let rating = v.rating;

  function paint() {
    up.setAttribute("aria-pressed", String(rating === 1));
    down.setAttribute("aria-pressed", String(rating === -1));
  }

  /** A second press takes a thumb back; a thumb down may say why. */
  async function press(value) {
    const wanted = rating === value ? 0 : value;
    if (!(await rate(wanted))) return;
    rating = wanted;
    paint();
    more.replaceChildren(...(wanted === -1 ? [why()] : []));
    more.querySelector("input")?.focus();
  }

  async function rate(value, reason = "") {
    const reply = await command("rate", { conversation_id: page.conversation, turn_id: v.turn_id, value, reason });
    status.textContent = reply.ok ? "" : reply.text;
    return reply.ok;
  }

  function why() {
    const input = h("input", { class: "cs-in", type: "text", maxlength: 1000, "aria-label": t("act.why"), placeholder: t("act.why") });
    const send = async () => {
      if (!(await rate(-1, input.value.trim()))) return;
      more.replaceChildren();
      status.textContent = t("act.thanks");
    };
    input.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.isComposing) send(); });
    return h("div", { class: "cs-act-form" }, input, button(t("act.send"), { cls: "secondary small", on: send }));
  }

  function edit() {
    const area = h("textarea", { class: "cs-in", rows: 3, "aria-label": t("act.edit") });
    area.value = v.question;
    const go = button(t("act.run"), { cls: "solid small", on: () => area.value.trim() && again(area.value) });
    more.replaceChildren(h("div", { class: "cs-act-form tall" }, area, h("p", { class: "cs-note" }, t("act.edit.note")),
      h("div", { class: "cs-rc-acts" }, go, button(t("act.cancel"), { cls: "ghost small", on: () => more.replaceChildren() }))));
    area.focus();
  }

  async function again(message = null) {
    const reply = await command("rerun", { conversation_id: page.conversation, turn_id: v.turn_id, message });
    status.textContent = reply.ok ? "" : reply.text;
    if (reply.ok) page.look({ type: "refresh" });
  }

  async function copy() {
    await navigator.clipboard.writeText(v.text);
    announce(t("copied"));
    status.textContent = t("copied");
  }

  paint();
  const row = [v.text ? small("act.copy", "copy", copy) : null, v.text ? [up, down] : null, small("act.again", "again", () => again()), v.question ? small("act.edit", "pen", edit) : null];
  return h("div", { class: "cs-below" }, h("div", { class: "cs-act-row" }, row, v.usage ? usage(v.usage) : null), more, status);
}

const small = (key, picture, on) => h("button", { type: "button", class: "cs-icon-btn small", "aria-label": t(key), title: t(key), onclick: on }, icon(picture));
