/** The small ones: an error, a notice, the tokens of a turn, reasoning. */
import { button, disclosure, h, icon } from "./dom.js";
import { number, t } from "./i18n.js";
import { money } from "./money.js";
import { page } from "./page.js";
import { command } from "./server.js";
import { visible } from "./text.js";

export function error(v) {
  const status = h("p", { class: "cs-note", role: "status" });
  const retry = v.retry && v.turn_id
    ? button(t("err.retry"), { cls: "secondary small", on: async () => {
      retry.disabled = true;
      const reply = await command("retry", { conversation_id: page.conversation, turn_id: v.turn_id });
      if (!reply.ok) { retry.disabled = false; status.textContent = reply.text; }
      page.look({ type: "refresh" });
    } })
    : null;
  if (v.refused) page.busy(false);
  const known = t("error." + v.code);
  return h("section", { class: "cs-card cs-error", role: "alert", "data-code": v.code },
    h("div", { class: "cs-rc" }, h("span", { class: "cs-stamp" }, icon("warn")),
      h("div", { class: "cs-rc-main" }, h("h2", { class: "cs-rc-title" }, known.startsWith("error.") ? t("error.other") : known),
        h("p", { class: "cs-lead" }, visible(v.text)), h("div", { class: "cs-rc-acts" }, retry), status,
        v.ref ? disclosure(t("err.details"), h("code", {}, `${visible(v.code)} · ${visible(v.ref)}`)) : null)));
}

export const notice = (v) => h("p", { class: "cs-card cs-notice", "data-code": v.code }, icon("info"), h("span", {}, visible(v.text)));

export function usage(v) {
  const parts = [t("tokens.in", { n: number(v.input) }), v.cached ? t("tokens.cached", { n: number(v.cached) }) : null, t("tokens.out", { n: number(v.output) }), v.reasoning ? t("tokens.reasoning", { n: number(v.reasoning) }) : null, v.cost ? money(v.cost) : null, visible(v.model)];
  return h("p", { class: "cs-card cs-tokens" }, parts.filter(Boolean).join(" · "));
}


export function reasoning(v) {
  return h("details", { class: "cs-card cs-steps cs-think" },
    h("summary", { class: "cs-steps-sum" }, v.running ? h("span", { class: "cs-step-ic running" }, h("span", { class: "cs-spin" })) : icon("think"), h("span", {}, t(v.running ? "think.now" : "think.done")), icon("chev", "cs-chev")),
    h("div", { class: "cs-think-body" }, visible(v.text)));
}
