/** Several calls of one tool: one table, one decision each. A row must be opened before it can be selected to sign. */
import { callText, countdown, decide, digest, maySign, signer } from "./call.js";
import { announce, button, h, icon, json, mark } from "./dom.js";
import { evidence } from "./evidence.js";
import { moment, t } from "./i18n.js";
import { cameTooLate, late, LOST } from "./late.js";
import { page } from "./page.js";
import { watchPending } from "./pending.js";
import { notes } from "./receipt.js";
import { watchSeen } from "./seen.js";
import { visible } from "./text.js";

const drafts = new Map(); // approval id -> {seen, chosen, open}
const born = new Map(); // card -> when it first appeared
const ARM_MS = 700;
const OUTCOME = { approved: "d.approved", consumed: "d.approved", failed: "d.failed", denied: "d.denied", expired: "d.expired", superseded: "d.superseded" };

export function batch(v) {
  const pending = v.items.filter((item) => item.state === "pending");
  const rows = v.items.map((item) => new Row(item, () => refresh()));
  const open = rows.filter((row) => row.item.state === "pending" && maySign(row.item));
  if (!born.has(v.id)) born.set(v.id, performance.now());
  const status = h("span", { class: "cs-status", role: "status" });
  const all = h("input", { type: "checkbox", class: "cs-check", id: `all-${v.id}` });
  const hint = h("span", { class: "cs-note", id: `allh-${v.id}` });
  const sign = button("", { cls: "primary " + v.risk, act: "approve", on: (event) => performance.now() - born.get(v.id) > ARM_MS && event.detail < 2 && decideChosen("approve") });
  const seen = watchSeen(sign);
  const deny = button("", { cls: "secondary", act: "deny", on: () => decideChosen("deny") });
  all.setAttribute("aria-describedby", hint.id);
  all.addEventListener("change", () => { open.forEach((row) => row.choose(all.checked)); refresh(); });

  function refresh() {
    const unseen = open.filter((row) => !row.draft.seen).length;
    const chosen = open.filter((row) => row.draft.chosen);
    all.disabled = unseen > 0;
    all.checked = open.length > 0 && chosen.length === open.length;
    all.indeterminate = chosen.length > 0 && !all.checked;
    hint.textContent = unseen ? t("batch.look", { n: unseen }) : "";
    label(sign, t("batch.sign", { n: chosen.length }), chosen.length === 0);
    label(deny, chosen.length ? t("batch.deny", { n: chosen.length }) : t("batch.denyall", { n: open.length }), false);
  }

  async function decideChosen(decision) {
    const chosen = open.filter((row) => row.draft.chosen);
    const rows = chosen.length || decision === "approve" ? chosen : open;
    if (decision === "approve" && !seen()) return void (status.textContent = t("card.covered"));
    if (!rows.length) return void (status.textContent = t("batch.none"));
    sign.disabled = deny.disabled = true;
    status.textContent = t(decision === "approve" ? "card.signing" : "card.denying");
    const replies = await Promise.all(rows.map((row) => decide(row.item, decision)));
    replies.forEach((reply, i) => LOST.includes(reply.status) && cameTooLate(rows[i].item, decision, reply));
    const failed = replies.find((reply) => !reply.ok && !LOST.includes(reply.status));
    if (failed) { status.textContent = failed.text; sign.disabled = deny.disabled = false; }
    page.look({ type: "refresh" });
  }

  const when = h("span", { class: "cs-when" });
  const card = h("section", { class: "cs-card cs-confirm cs-batch risk-" + v.risk + (pending.length ? "" : " settled"), role: "group", "aria-labelledby": `t-${v.id}`, "data-call": v.id, id: `batch-${v.id}` },
    h("div", { class: "cs-top" }, pending.length ? h("span", { class: "cs-state" }, h("span", { class: "cs-dot" }), t("card.waiting")) : h("span", { class: "cs-state neutral" }, icon("check"), t("batch.settled")), h("span", { class: "cs-risk" }, t("card.risk." + v.risk)), pending.length ? when : null),
    h("h2", { class: "cs-title", id: `t-${v.id}` }, t("batch.title", { n: v.items.length, l: visible(v.label) })),
    pending.length ? h("p", { class: "cs-lead" }, t("batch.lead")) : null,
    open.length ? h("div", { class: "cs-batch-all" }, all, h("label", { for: all.id }, t("batch.all")), hint) : null,
    h("ul", { class: "cs-rows" }, rows.map((row) => row.element)));
  if (open.length) {
    card.append(h("div", { class: "cs-foot" }, h("div", { class: "cs-signas" }, mark(), signer(), status), h("div", { class: "cs-actions" }, deny, h("span", { class: "cs-gap" }), sign)));
    announce(t("card.announce", { t: t("batch.title", { n: v.items.length, l: visible(v.label) }) }));
    countdown(card, when, pending[0]);
    watchPending(card, { shown: false });
    document.dispatchEvent(new CustomEvent("cs:confirm_required", { detail: { conversation: page.conversation, approval: open[0].item.id } }));
  }
  refresh();
  return card;
}

function label(control, text, off) {
  control.querySelector("span")?.remove();
  control.append(h("span", {}, text));
  control.classList.toggle("off", off);
  control.setAttribute("aria-disabled", String(off));
}

class Row {
  constructor(item, onchange) {
    this.item = item;
    if (!drafts.has(item.id)) drafts.set(item.id, { seen: false, chosen: false, open: false });
    this.draft = drafts.get(item.id);
    this.onchange = onchange;
    const open = item.state === "pending" && maySign(item);
    this.box = open ? h("input", { type: "checkbox", class: "cs-check", "aria-label": t("batch.choose", { t: visible(item.title) }), checked: this.draft.chosen, disabled: !this.draft.seen }) : null;
    this.box?.addEventListener("change", () => { this.draft.chosen = this.box.checked; onchange(); });
    const details = h("details", { class: "cs-row-more", open: this.draft.open }, h("summary", {}, icon("chev", "cs-chev"), h("span", { class: "cs-row-t" }, visible(item.title), late(item)), this.state()),
      h("div", { class: "cs-disc-body" }, h("p", { class: "cs-note" }, visible(item.lead)), evidence(item.evidence), json(callText(item.call)), item.state === "pending" ? null : notes(item)));
    details.addEventListener("toggle", () => this.look(details.open));
    this.element = h("li", { class: "cs-row", id: `call-${item.id}`, "data-state": item.state }, this.box ?? h("span", { class: "cs-row-gap" }), details);
  }

  look(open) {
    this.draft.open = open;
    if (!open || this.draft.seen) return;
    this.draft.seen = true;
    if (this.box) this.box.disabled = false;
    this.onchange();
  }

  choose(on) {
    this.draft.chosen = on;
    this.box.checked = on;
  }

  state() {
    const { item } = this;
    const text = item.state === "pending" ? (this.draft.seen ? "" : t("batch.unseen")) : t(OUTCOME[item.state]) + (item.decided?.at ? " · " + moment(item.decided.at) : "");
    return h("span", { class: "cs-row-s is-" + item.state }, text, " ", h("code", { class: "cs-digest" }, digest(item.call)));
  }
}
