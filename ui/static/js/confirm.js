/** A request for a signature. Sign is never focused by code, has no shortcut, and is inert just after the card appears. */
import { callText, countdown, decide, digest, maySign, signer } from "./call.js";
import { announce, button, disclosure, h, icon, json, mark } from "./dom.js";
import { evidence } from "./evidence.js";
import { schemaForm } from "./form.js";
import { t } from "./i18n.js";
import { cameTooLate, late, LOST } from "./late.js";
import { offered } from "./offered.js";
import { page } from "./page.js";
import { watchPending } from "./pending.js";
import { receipt } from "./receipt.js";
import { watchSeen } from "./seen.js";
import { visible } from "./text.js";
import { typedName } from "./typed.js";

const ARM_MS = 700;
const drafts = new Map(); // half-typed input by card, kept when Gradio mounts the card anew

export function confirm(v) {
  return v.state === "pending" ? new Request(v).element : receipt(v);
}

function draftOf(v) {
  const key = `${v.id}.${v.version}`;
  if (!drafts.has(key)) drafts.set(key, { values: { ...v.call.args }, reason: "", typed: "", editing: false, reasoning: false, touched: false, shown: false, born: performance.now() });
  return drafts.get(key);
}

class Request {
  constructor(v) {
    this.v = v;
    this.draft = draftOf(v);
    this.signable = maySign(v);
    this.form = null;
    this.body = h("div", { class: "cs-body" });
    this.call = json(callText(v.call));
    this.status = h("span", { class: "cs-status", role: "status" });
    this.changedNote = h("p", { class: "cs-note", "aria-live": "polite" });
    this.typed = v.type_to_sign ? typedName(v, this.draft, () => this.sync()) : null;
    this.element = h("section", { class: "cs-card cs-confirm risk-" + v.risk, role: "group", "aria-labelledby": `t-${v.id}`, "aria-describedby": `l-${v.id}`, "data-call": v.id, id: `call-${v.id}` });
    this.build();
    this.arrive();
  }

  build() {
    const { v } = this;
    const exact = disclosure(t("card.exact"), [h("p", { class: "cs-note" }, t("card.exact.note")), this.call], h("code", { class: "cs-digest" }, visible(v.call.tool) + " · " + digest(v.call)));
    this.reason = this.reasonRow();
    this.element.append(this.top(), h("h2", { class: "cs-title", id: `t-${v.id}` }, visible(v.title)), h("p", { class: "cs-lead", id: `l-${v.id}` }, visible(v.lead)), late(v) ?? "");
    if (v.reasons.length) this.element.append(h("ul", { class: "cs-reasons" }, v.reasons.map((reason) => h("li", {}, visible(reason)))));
    this.element.append(this.body, exact, v.offered ? offered(v.offered) : "", ...(this.signable ? [this.typed?.element ?? "", this.reason.row, this.foot()] : [this.unsignable()]));
    this.element.addEventListener("input", () => (this.status.textContent = "")); // it was about what stood there before
    this.element.addEventListener("keydown", (event) => this.key(event));
    if (this.signable) this.paint();
    else this.body.append(evidence(v.evidence));
  }

  top() {
    const { v } = this;
    this.when = h("span", { class: "cs-when" });
    const state = this.signable
      ? h("span", { class: "cs-state" }, h("span", { class: "cs-dot" }), t("card.waiting"))
      : h("span", { class: "cs-state neutral" }, icon("clock"), t("card.waiting.other"));
    const edited = v.version > 1 ? h("span", { class: "cs-edited" }, t("card.edited", { n: v.version })) : null;
    return h("div", { class: "cs-top" }, state, h("span", { class: "cs-risk" }, t("card.risk." + v.risk)), edited, this.when);
  }

  foot() {
    const { v } = this;
    this.deny = button(t("card.deny"), { cls: "secondary", act: "deny", on: () => this.decide("deny") });
    this.sign = button(v.approve, { cls: "primary " + v.risk, act: "approve", on: (event) => this.pressed(event) });
    this.seen = watchSeen(this.sign);
    this.edit = v.schema ? button(t("card.edit"), { cls: "ghost", act: "edit", on: () => this.toggleEdit() }) : null;
    return h("div", { class: "cs-foot" }, h("div", { class: "cs-signas" }, mark(), signer(), this.status),
      h("div", { class: "cs-actions" + (this.edit ? " has-edit" : "") }, this.deny, this.reason.toggle, h("span", { class: "cs-gap" }), this.edit, this.sign));
  }

  unsignable() {
    const copy = button(t("card.link"), { cls: "secondary", on: (event) => {
      navigator.clipboard?.writeText(location.href.split("#")[0] + "#call-" + this.v.id);
      event.currentTarget.querySelector("span").textContent = t("copied");
    } });
    return h("div", { class: "cs-foot" }, h("div", { class: "cs-actions one" }, h("p", { class: "cs-note grow" }, t("card.nosign", { r: t("role." + this.v.needs) })), copy));
  }

  reasonRow() {
    const { v, draft } = this;
    const input = h("input", { id: `re-${v.id}`, class: "cs-in", type: "text", maxlength: 300, placeholder: t("card.reason.ph"), autocomplete: "off" });
    input.value = draft.reason;
    input.addEventListener("input", () => (draft.reason = input.value));
    input.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); this.decide("deny"); } });
    const row = h("div", { class: "cs-reason", id: `rr-${v.id}`, hidden: !draft.reasoning }, h("label", { for: `re-${v.id}` }, t("card.reason.label")), input);
    const toggle = button(t("card.reason"), { cls: "ghost", expanded: String(draft.reasoning), controls: `rr-${v.id}`, on: () => {
      draft.reasoning = !draft.reasoning;
      row.hidden = !draft.reasoning;
      toggle.setAttribute("aria-expanded", String(draft.reasoning));
      if (draft.reasoning) input.focus();
    } });
    return { row, toggle };
  }

  /** The evidence, or the form while the person edits. */
  paint() {
    const { v, draft } = this;
    this.form = draft.editing && v.schema ? schemaForm(v.id, v.schema, v.call.args, draft, () => this.sync()) : null;
    this.body.replaceChildren(...(this.form ? [this.form.element, this.changedNote] : [evidence(v.evidence)]));
    if (this.edit) this.edit.querySelector("span").textContent = t(draft.editing ? "card.edit.back" : "card.edit");
    this.sign.querySelector("span").textContent = draft.editing ? t("card.edit.check") : v.approve;
    this.sign.classList.toggle("danger", v.risk === "danger" && !draft.editing);
    if (this.typed) this.typed.element.hidden = draft.editing;
    this.sync();
  }

  sync() {
    const ready = this.form ? this.form.valid() && this.form.changed() > 0 : !this.typed || this.typed.matches();
    this.sign?.setAttribute("aria-disabled", String(!ready));
    this.sign?.classList.toggle("off", !ready);
    const n = this.form?.changed() ?? 0;
    this.changedNote.textContent = n ? t("card.edit.count", { n }) : "";
    this.call.textContent = visible(callText(this.v.call, this.form ? this.form.values() : null));
  }

  toggleEdit() {
    const { draft } = this;
    draft.values = { ...this.v.call.args };
    draft.touched = false;
    draft.editing = !draft.editing;
    this.paint();
    if (this.form) this.form.focus();
    else this.edit.focus();
  }

  pressed(event) {
    if (performance.now() - this.draft.born < ARM_MS || event.detail > 1) return;
    if (!this.seen()) return void (this.status.textContent = t("card.covered"));
    if (this.form) {
      if (!this.form.valid()) this.form.complain();
      else if (this.form.changed()) this.decide("edit");
      else this.form.focus();
    } else if (this.typed && !this.typed.matches()) this.typed.complain();
    else this.decide("approve");
  }

  async decide(decision) {
    this.busy(true);
    this.status.textContent = t({ approve: "card.signing", deny: "card.denying", edit: "card.checking" }[decision]);
    const reply = await decide(this.v, decision, decision === "edit" ? { args: this.form.values() } : { reason: this.draft.reason });
    if (reply.ok) this.draft.editing = false;
    else if (!LOST.includes(reply.status)) return this.failed(reply);
    else cameTooLate(this.v, decision, reply);
    page.look({ type: "refresh" });
  }

  failed(reply) {
    this.busy(false);
    this.status.textContent = reply.text ?? t("offline");
    if (this.form && reply.errors?.length) this.form.complain(reply.errors);
  }

  busy(on) {
    for (const control of [this.sign, this.deny, this.reason.toggle, this.edit]) control?.toggleAttribute("disabled", on);
  }

  /** Esc closes the reason and nothing else; Enter in a field never signs. */
  key(event) {
    if (event.key === "Escape" && this.draft.reasoning && this.signable) { this.reason.toggle.click(); this.reason.toggle.focus(); }
    if (event.key === "Enter" && event.target.matches(".cs-form input, .cs-typed input")) event.preventDefault();
  }

  arrive() {
    const { v } = this;
    countdown(this.element, this.when, v);
    announce(t("card.announce", { t: visible(v.title) }));
    if (!this.signable) return;
    setTimeout(() => focusWhenIdle(this.deny), 60);
    watchPending(this.element, this.draft);
    document.dispatchEvent(new CustomEvent("cs:confirm_required", { detail: { conversation: page.conversation, approval: v.id } }));
  }
}

/** Move focus only when the person is not busy: nothing focused, or an empty message box. */
function focusWhenIdle(control) {
  const active = document.activeElement;
  const idle = !active || active === document.body || (active.matches(".cs-box textarea") && !active.value);
  if (idle && control.isConnected) control.focus({ preventScroll: true });
}
