/** Who is signed in, and what is theirs to choose: theme, language, what never has to be asked again. */
import { button, h, icon } from "./dom.js";
import { forget } from "./drafts.js";
import { lang, remember, t } from "./i18n.js";
import { menu } from "./menu.js";
import { command } from "./server.js";
import { refreshShell } from "./shell.js";
import { visible } from "./text.js";

function choose(name, choice) {
  const url = new URL(location.href);
  if (choice === null) url.searchParams.delete(name);
  else url.searchParams.set(name, choice);
  if (name === "lang") remember(choice);
  location.assign(url);
}

function segment(label, name, options, current) {
  return h("div", { class: "cs-seg", role: "group", "aria-label": label }, h("span", { class: "cs-seg-l" }, label),
    h("div", {}, options.map(([choice, text]) => h("button", { type: "button", "aria-pressed": String(choice === current), onclick: () => choose(name, choice) }, text))));
}

function always({ tools }) {
  const toggle = async (event, tool) => {
    const reply = await command("always", { tool, on: event.target.checked });
    if (!reply.ok) event.target.checked = !event.target.checked;
    refreshShell();
  };
  return h("details", { class: "cs-always" }, h("summary", {}, icon("chev", "cs-chev"), t("acct.always")),
    h("p", { class: "cs-note" }, t("acct.always.note")),
    h("ul", {}, tools.map((tool) => h("li", {}, h("label", {}, h("input", { type: "checkbox", class: "cs-check", checked: tool.allowed, onchange: (event) => toggle(event, tool.name) }), h("span", {}, visible(tool.title), h("code", {}, visible(tool.name))))))));
}

async function signOut() {
  await command("signout");
  forget();
  location.assign("/signin");
}

export function account({ person, always: list, signin }) {
  const opener = h("button", { type: "button", class: "cs-acct", "aria-haspopup": "true" }, h("span", { class: "cs-sr" }, t("acct.menu")), h("span", { class: "cs-av", "aria-hidden": "true" }, person.initials),
    h("span", { class: "cs-acct-n" }, h("strong", {}, visible(person.name)), h("span", {}, t("role." + person.role))), icon("chev", "up"));
  const themes = [[null, t("acct.auto")], ["light", t("acct.light")], ["dark", t("acct.dark")]];
  const panel = h("div", { class: "cs-pop up" },
    h("p", { class: "cs-pop-note" }, t("role." + person.role + ".can")),
    segment(t("acct.theme"), "__theme", themes, new URLSearchParams(location.search).get("__theme")),
    segment(t("acct.language"), "lang", [["en", "English"], ["ru", "Русский"]], lang),
    list.tools.length ? always(list) : null,
    signin === "demo" ? h("a", { class: "cs-btn item", href: "/signin" }, h("span", {}, t("acct.switch"))) : null,
    signin === "header" || signin === "embed" ? null : button(t("acct.out"), { cls: "item", on: signOut }));
  menu(opener, panel);
  return h("div", { class: "cs-acct-wrap" }, panel, opener);
}
