/** Words, numbers and times in the person's language. The server chose the same one: it reads the cookie set here. */
import people from "./people.js";
import strings from "./strings.js";

const wanted = new URLSearchParams(location.search).get("lang");
const stored = /(?:^|; )cs_lang=(en|ru)/.exec(document.cookie)?.[1];
const first = navigator.languages?.[0] ?? navigator.language ?? "en";

export const lang = ["en", "ru"].includes(wanted) ? wanted : stored ?? (first.toLowerCase().startsWith("ru") ? "ru" : "en");
const locale = { en: "en-GB", ru: "ru-RU" }[lang];
document.documentElement.lang = lang;
remember(lang);

/** Keep the language for the requests that carry no `?lang`. */
export function remember(choice) {
  document.cookie = `cs_lang=${choice}; path=/; max-age=31536000; samesite=lax`;
}

/** The sentence behind a key, with `{name}` filled in. */
export function t(key, words = {}) {
  const sentence = strings[key]?.[lang] ?? strings[key]?.en ?? key;
  return sentence.replace(/\{(\w+)\}/g, (_, name) => words[name] ?? "");
}

/** A person's name as it is written in this language, where that is known. */
export const nameOf = (name) => people[name]?.[lang] ?? name;

export const number = (n) => (typeof n === "number" ? n.toLocaleString(lang) : n);

/** A moment as a person says it: the hour when it is today, else the day and the hour. */
export function moment(iso) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const hour = { hour: "2-digit", minute: "2-digit" };
  const today = at.toDateString() === new Date().toDateString();
  return today ? at.toLocaleTimeString(locale, hour) : at.toLocaleString(locale, { day: "numeric", month: "short", ...hour });
}

/** Seconds as "0.8 s". */
export const seconds = (n) => t("unit.seconds", { n: Math.max(n, 0.1).toLocaleString(lang, { maximumFractionDigits: n < 10 ? 1 : 0 }) });
