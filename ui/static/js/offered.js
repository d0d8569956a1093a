/** Which tools a turn was offered, and why: the tier that found each, its score, the words that matched. */
import { disclosure, h } from "./dom.js";
import { t } from "./i18n.js";
import { visible } from "./text.js";

const TIERS = ["keywords", "meaning", "both", "companion", "context"];

export const tierName = (tier) => (TIERS.includes(tier) ? t("router.tier." + tier) : visible(tier ?? ""));

export function offered(tools) {
  return disclosure(t("tool.offered", { n: tools.length }), h("ul", { class: "cs-plain" }, tools.map(reason)));
}

function reason({ tool, tier, score, words }) {
  const why = [tierName(tier), ...(words ?? []).map(visible)].filter(Boolean).join(", ");
  return h("li", {}, h("code", {}, visible(tool)), " ", typeof score === "number" ? score.toFixed(2) + " " : "", h("span", { class: "cs-note" }, why));
}
