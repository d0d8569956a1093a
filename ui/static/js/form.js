/** The edit form of a request, made from the tool's schema. */
import { h, icon, value } from "./dom.js";
import { t } from "./i18n.js";
import { fieldsOf, problem, shown, typed, widget } from "./schema.js";
import { visible } from "./text.js";

/** `draft.values` holds what is in the form; `proposed` is what the agent asked for. */
export function schemaForm(id, schema, proposed, draft, onchange) {
  const required = new Set(schema.required ?? []);
  const fields = fieldsOf(schema, proposed).map(([name, field]) => formField({ id, name, field, required: required.has(name), proposed, draft, onchange }));
  const element = h("div", { class: "cs-form", role: "group", "aria-label": t("card.edit.title") }, fields.map((f) => f.element));
  return {
    element,
    changed: () => fields.filter((f) => f.changed()).length,
    valid: () => fields.every((f) => !f.problem()),
    values: () => Object.fromEntries(fields.map((f) => [f.name, draft.values[f.name]]).filter(([, v]) => v !== undefined)),
    focus: () => element.querySelector("input,select,textarea")?.focus(),
    /** Show what is wrong, ours or the server's, and go to the first such field. */
    complain(errors = []) {
      draft.touched = true;
      fields.forEach((f) => f.refresh(true, errors.find((e) => String(e.loc?.[0]) === f.name)?.msg));
      element.querySelector("[aria-invalid=true]")?.focus();
    },
  };
}

function formField({ id, name, field, required, proposed, draft, onchange }) {
  const fid = `f-${id}-${name}`;
  const input = inputOf(fid, field, required, draft.values[name]);
  if (required) input.setAttribute("aria-required", "true");
  input.setAttribute("aria-describedby", `${fid}-h ${fid}-e`);
  const hint = h("div", { class: "cs-hint", id: fid + "-h" });
  const error = h("div", { class: "cs-err", id: fid + "-e" });
  const label = h("label", { for: fid }, titled(field.title ?? name), required ? null : h("span", { class: "cs-opt" }, " · " + t("card.edit.opt")));
  const wide = ["json", "lines"].includes(widget(field)) || field["x-wide"];
  let wrong = "";
  const self = {
    name,
    element: h("div", { class: "cs-field" + (widget(field) === "check" ? " check" : "") + (wide ? " wide" : "") }, label, input, error, hint),
    changed: () => JSON.stringify(draft.values[name]) !== JSON.stringify(proposed[name]),
    problem: () => wrong,
    refresh(show, fromServer = "") {
      wrong = read() || fromServer;
      hint.replaceChildren(...(self.changed() ? [t("card.edit.was"), " ", value(proposed[name])] : [visible(field.description ?? "")]).flat(3));
      hint.classList.toggle("changed", self.changed());
      if (show || !wrong) {
        error.replaceChildren(...(wrong ? [icon("warn"), wrong] : []));
        input.setAttribute("aria-invalid", String(Boolean(wrong)));
      }
      onchange();
    },
  };
  function read() {
    const checkbox = input.type === "checkbox";
    const untouched = checkbox && !input.checked && proposed[name] === undefined; // not said is not the same as no
    try {
      draft.values[name] = untouched ? undefined : typed(field, checkbox ? input.checked : input.value);
    } catch {
      return t("card.err.json");
    }
    return problem(field, required, draft.values[name]);
  }
  // What was wrong with the value before says nothing about the one that is being typed.
  input.addEventListener("input", () => { error.replaceChildren(); input.setAttribute("aria-invalid", "false"); self.refresh(false); });
  // Later, so that a line that appears does not move the button away from under a press.
  for (const event of ["change", "blur"]) input.addEventListener(event, () => setTimeout(() => self.refresh(true, wrong), 200));
  self.refresh(draft.touched);
  return self;
}

/** "dashboard_id" as a person would write it. */
const titled = (name) => visible(name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " "));

function inputOf(id, field, required, v) {
  const kind = widget(field);
  const none = required ? null : h("option", { value: "", selected: v === undefined }, "—");
  if (kind === "select") return h("select", { id, class: "cs-in" }, none, field.enum.map((option, i) => h("option", { value: option, selected: option === v }, field["x-enumNames"]?.[i] ?? option)));
  if (kind === "check") return h("input", { id, type: "checkbox", class: "cs-check", checked: v === true });
  const area = kind === "json" || kind === "lines" || String(v ?? "").length > 60;
  const input = area
    ? h("textarea", { id, class: "cs-in" + (kind === "json" ? " mono" : ""), rows: Math.min(8, 1 + shown(field, v).split("\n").length), spellcheck: "false" })
    : h("input", { id, class: "cs-in", type: kind, min: field.minimum ?? field.formatMinimum, max: field.maximum, step: field.type === "integer" ? 1 : field.type === "number" ? "any" : null, autocomplete: "off", spellcheck: "false" });
  input.value = shown(field, v);
  return input;
}
