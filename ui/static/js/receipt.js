/** A decided request: flat, with what was asked folded away. */
import { callText, digest } from "./call.js";
import { button, disclosure, h, icon, json, mark, value } from "./dom.js";
import { evidence } from "./evidence.js";
import { moment, nameOf, t } from "./i18n.js";
import { late } from "./late.js";
import { page } from "./page.js";
import { command } from "./server.js";
import { statement, visible } from "./text.js";

const ICONS = { denied: "x", expired: "clock", superseded: "swap" };

/** The heading of an outcome: who and when. "consumed" and "failed" were signed. */
function outcome(v) {
  if (v.state === "expired") return [t("card.expired", { t: moment(v.expires_at) })];
  const words = { n: visible(nameOf(v.decided?.by ?? "")), t: v.decided?.at ? moment(v.decided.at) : "" };
  if (v.state === "superseded") return [t("card.superseded"), words.t];
  return [t(v.state === "denied" ? "card.denied" : "card.signed", words), words.t];
}

/** What became of a request. */
export function notes(v) {
  if (v.state === "denied") return [v.reason ? h("p", { class: "cs-quote" }, t("card.quote", { r: visible(v.reason) })) : null, note("card.denied.note")];
  if (v.ended) return [note("ended." + v.ended)];
  return v.result ? [result(v.result)] : [note("card.running")];
}

const note = (key) => h("p", { class: "cs-note" }, t(key));

function result(r) {
  const failed = r.ok === false;
  return h("p", { class: "cs-res" + (failed ? " failed" : "") }, icon(failed ? "warn" : r.undone ? "swap" : "check"), h("span", {}, outcomeOf(r)));
}

/** What a call did was in the words of that moment: they are not true any more of what was taken back, or did not run. */
function outcomeOf(r) {
  if (r.undone) return t("card.undone", { n: visible(nameOf(r.undone.n)), t: moment(r.undone.t) });
  if (r.stale) return t("card.stale");
  return [r.ok === false ? h("strong", {}, t(r.unknown ? "card.unknown" : "card.failed") + ". ") : null, value(r.text || t("card.done"))];
}

function actions(v) {
  if (v.state === "expired") return [button(t("card.again"), { cls: "secondary small", on: act("again", v) })];
  if (v.state === "superseded") return [newer()];
  if (v.result?.unknown) return [button(t("card.look"), { cls: "secondary small", on: look(v) })];
  if (!v.result?.undo || v.result.undone) return [];
  return [button(t("card.undo"), { cls: "secondary small", on: act("undo", v) }), v.result.undo.until ? h("span", { class: "cs-note" }, t("card.undo.until", { t: moment(v.result.undo.until) })) : null];
}

/** Shows how the thing is now, under the button; each press looks again. */
const look = (v) => async (event) => {
  const pressed = event.currentTarget;
  pressed.disabled = true;
  const reply = await command("look", { approval_id: v.id, conversation_id: page.conversation });
  pressed.disabled = false;
  const text = reply.ok ? reply.now.text : reply.text;
  const shown = h("div", { class: "cs-look", role: "status" }, text ? h("p", { class: "cs-note" }, visible(text)) : null,
    reply.ok ? evidence(reply.now.evidence) : null);
  pressed.parentElement.querySelector(".cs-look")?.remove();
  pressed.parentElement.append(shown);
};

const act = (name, v) => async (event) => {
  const pressed = event.currentTarget;
  pressed.disabled = true;
  const reply = await command(name, { approval_id: v.id, conversation_id: page.conversation });
  if (reply.ok) return page.look({ type: "refresh" });
  pressed.disabled = false;
  pressed.parentElement.querySelector(".cs-err")?.remove();
  pressed.after(h("span", { class: "cs-err", role: "status" }, icon("warn"), reply.text));
};

/** The way to the request that waits now, if one does. */
function newer() {
  const next = () => document.querySelector(".cs-confirm:not(.settled)");
  const jump = (event) => {
    event.preventDefault();
    next()?.scrollIntoView({ block: "center" });
    next()?.querySelector("[data-act=deny]")?.focus({ preventScroll: true });
  };
  const link = h("a", { class: "cs-btn link", href: "#", hidden: true, onclick: jump }, h("span", {}, t("card.superseded.go")), icon("down"));
  setTimeout(() => (link.hidden = !next()), 300);
  return link;
}

export function receipt(v) {
  const signed = ["approved", "consumed", "failed"].includes(v.state);
  const [who, when] = outcome(v);
  return h("section", { class: "cs-card cs-receipt is-" + (signed ? "approved" : v.state), role: "group", "aria-labelledby": `t-${v.id}`, id: `call-${v.id}`, "data-state": v.state },
    h("div", { class: "cs-rc" }, h("span", { class: "cs-stamp" }, signed ? mark() : icon(ICONS[v.state] ?? "info")),
      h("div", { class: "cs-rc-main" },
        h("h2", { class: "cs-rc-title", id: `t-${v.id}` }, statement(v.title)),
        h("p", { class: "cs-rc-by" }, who, when ? h("time", {}, " · " + when) : null, h("code", { class: "cs-digest" }, digest(v.call))),
        late(v), notes(v), h("div", { class: "cs-rc-acts" }, actions(v)),
        disclosure(t("card.what"), [evidence(v.evidence), json(callText(v.call))]))));
}
