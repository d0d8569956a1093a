/** Type the name to sign: only for what cannot be taken back. Pasting is allowed. */
import { h, icon } from "./dom.js";
import { t } from "./i18n.js";
import { visible } from "./text.js";

export function typedName(v, draft, onchange) {
  const input = h("input", { id: `ty-${v.id}`, class: "cs-in", type: "text", autocomplete: "off", spellcheck: "false", "aria-describedby": `tye-${v.id}` });
  const error = h("div", { class: "cs-err", id: `tye-${v.id}` });
  const [before, after] = t("card.type", { v: "\0" }).split("\0");
  input.value = draft.typed;
  input.addEventListener("input", () => {
    draft.typed = input.value.trim();
    error.replaceChildren();
    input.setAttribute("aria-invalid", "false");
    onchange();
  });
  return {
    element: h("div", { class: "cs-typed" }, h("label", { for: `ty-${v.id}` }, before, h("code", {}, visible(v.type_to_sign)), after), input, error),
    matches: () => draft.typed === v.type_to_sign,
    complain() {
      error.replaceChildren(icon("warn"), t("card.type.err", { v: visible(v.type_to_sign) }));
      input.setAttribute("aria-invalid", "true");
      input.focus();
    },
  };
}
