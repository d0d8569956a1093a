/** The few parts of JSON Schema that a form needs: resolved references, the type of a field, a first check. */
import { number, t } from "./i18n.js";

const MAIL = "^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$";

/** Name -> schema of each argument, `$ref` resolved and "or null" unwrapped; what is filled in comes first. */
export function fieldsOf(schema, values = {}) {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [name, plain(field, schema)]);
  const filled = ([name]) => Number(values[name] === undefined || values[name] === null);
  return fields.sort((a, b) => filled(a) - filled(b));
}

function plain(field, root) {
  const target = field.$ref ? { ...follow(field.$ref, root), ...field } : field;
  const options = target.anyOf ?? target.oneOf ?? (target.allOf?.length === 1 ? target.allOf : null);
  const real = options?.filter((option) => option.type !== "null");
  if (real?.length === 1) return { ...plain(real[0], root), title: target.title ?? real[0].title, description: target.description ?? real[0].description };
  return target;
}

const follow = (ref, root) => ref.replace(/^#\//, "").split("/").reduce((node, key) => node?.[key], root) ?? {};

/** How a field is edited: select, check, number, date, lines (a list of words), json or text. */
export function widget(field) {
  if (field.enum) return "select";
  if (field.type === "boolean") return "check";
  if (field.type === "integer" || field.type === "number") return "number";
  if (field.type === "array" && ["string", undefined].includes(field.items?.type) && !field.items?.$ref) return "lines";
  if (field.type === "array" || field.type === "object" || (!field.type && !field.enum)) return "json";
  return field.format === "date" ? "date" : "text";
}

/** The text in an input for a value, and back; raises SyntaxError for JSON that is not JSON. */
export function shown(field, v) {
  if (v === undefined || v === null) return "";
  if (widget(field) === "lines") return v.join("\n");
  return widget(field) === "json" ? JSON.stringify(v, null, 2) : String(v);
}

export function typed(field, text) {
  const kind = widget(field);
  if (kind === "check") return text;
  if (text === "") return undefined;
  if (kind === "number") return Number(text);
  if (kind === "lines") return text.split("\n").map((x) => x.trim()).filter(Boolean);
  if (kind === "json") return JSON.parse(text);
  return kind === "select" ? field.enum.find((option) => String(option) === text) : text;
}

/** What is wrong with a value, in one sentence, or "". The server checks again. */
export function problem(field, required, v) {
  if (v === undefined) return required ? t("card.err.required") : "";
  if (field.type === "integer" && !Number.isInteger(v)) return t("card.err.int");
  if (typeof v === "number" && v < (field.minimum ?? -Infinity)) return t("card.err.min", { v: number(field.minimum) });
  if (typeof v === "number" && v > (field.maximum ?? Infinity)) return t("card.err.max", { v: number(field.maximum) });
  if (field.format === "date" && v < (field.formatMinimum ?? "")) return t("card.err.date", { v: field.formatMinimum });
  if (field.format === "email" && !new RegExp(MAIL).test(v)) return t("card.err.email");
  if (typeof v === "string" && v.length > (field.maxLength ?? Infinity)) return t("card.err.long", { v: number(field.maxLength) });
  return typeof v === "string" && !matches(field.pattern, v) ? t("card.err.pattern") : "";
}

function matches(pattern, text) {
  try {
    return !pattern || new RegExp(pattern).test(text);
  } catch {
    return true; // a pattern of another dialect: the server decides
  }
}
