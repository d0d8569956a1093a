/** A decision that lost to another one, made in another window: which, and what won, in words. */
import { announce, h, icon } from "./dom.js";
import { moment, nameOf, t } from "./i18n.js";
import { visible } from "./text.js";

const WON = { approved: "approved", consumed: "approved", failed: "approved", denied: "denied", expired: "expired", superseded: "superseded" };
const lost = new Map(); // approval id -> the decision that came too late
const told = new Set();

export const LOST = [409, 410];

/** Remember that `decision` lost; whoever does not draw the card again hears of it as the event "cs:late". */
export function cameTooLate(v, decision, reply) {
  lost.set(v.id, decision);
  document.dispatchEvent(new CustomEvent("cs:late", { detail: { approval: v.id, title: v.title, text: reply.text } }));
}

/** The sentence for a card on which a decision came too late, said once to a screen reader too; null for others. */
export function late(v) {
  const decision = lost.get(v.id);
  if (!decision) return null;
  const sentence = t("late." + decision, { w: winner(v) });
  if (!told.has(v.id)) announce(sentence);
  told.add(v.id);
  return h("p", { class: "cs-late" }, icon("warn"), h("span", {}, sentence));
}

function winner(v) {
  if (v.state === "pending") return t("late.by.changed");
  const at = moment(v.state === "expired" ? v.expires_at : v.decided?.at);
  return t("late.by." + WON[v.state], { n: visible(nameOf(v.decided?.by ?? "")), t: at });
}
