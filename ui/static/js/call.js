/** What is asked: the exact call, its digest, how long it may wait, who may sign, and the decision itself. */
import { h } from "./dom.js";
import { number, t } from "./i18n.js";
import { follow, page } from "./page.js";
import { command } from "./server.js";

const ROLES = ["viewer", "analyst", "editor", "publisher", "admin"];

export const callText = (call, args) => `${call.tool}(${JSON.stringify(args ?? call.args, null, 2)})`;
export const digest = (call) => call.sha256.slice(0, 4) + "·" + call.sha256.slice(4, 8);
export const maySign = (v) => !v.needs || !page.person || ROLES.indexOf(page.person.role) >= ROLES.indexOf(v.needs);

/** "You sign as …", said as soon as the page knows who that is: a request may be drawn before. */
export function signer() {
  const name = h("span");
  follow(name, ({ person }) => (name.textContent = t("card.signas", { n: person.name, r: t("role." + person.role) })));
  return name;
}

/** One decision on one card; the hash proves which version the person saw. */
export function decide(v, decision, extra = {}) {
  return command("decide", { approval_id: v.id, card_sha256: v.call.sha256, decision, ...extra });
}

/** Keep the time that is left up to date; at zero the transcript is fetched, where the request has expired. */
export function countdown(card, when, v) {
  const tick = () => {
    const left = Math.max(0, Math.round((Date.parse(v.expires_at) - Date.now()) / 1000));
    const text = t("card.expires", { t: left > 90 ? t("card.min", { n: number(Math.round(left / 60)) }) : t("card.sec", { n: left }) });
    if (when.textContent !== text) when.textContent = text;
    card.classList.toggle("soon", left <= 60);
    if (left === 0 && card.isConnected) { clearInterval(timer); page.look({ type: "refresh" }); }
  };
  const timer = setInterval(() => (card.isConnected ? tick() : clearInterval(timer)), 1000);
  tick();
}
