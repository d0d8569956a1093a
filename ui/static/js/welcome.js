/** The empty conversation: what this is for, and a few things to try. */
import { h, mark } from "./dom.js";
import { t } from "./i18n.js";
import { say } from "./composer.js";
import { follow } from "./page.js";

export function welcome() {
  const chips = h("ul", { class: "cs-chips" });
  const root = h("div", { class: "cs-welcome" }, mark("big"), h("h2", {}, t("welcome.title")), h("p", {}, t("welcome.text")), chips);
  follow(root, (shell) => {
    if (!chips.children.length) chips.append(...shell.examples.map(chip));
  });
  return root;
}

function chip(example) {
  const signs = example.sign ? h("span", { class: "cs-chip-s" }, mark(), h("span", { class: "cs-sr" }, t("router.sign"))) : null;
  return h("li", {}, h("button", { type: "button", class: "cs-chip", onclick: () => say(example.text) }, h("span", {}, example.text), signs));
}
