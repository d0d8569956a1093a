/** Text that came from tools or arguments: hidden characters become visible, long values stay reachable in full. */
import { t } from "./i18n.js";

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;
export const LONG = 280;

/** Control, bidi and zero-width characters as the escapes that a programmer would write. */
export const visible = (text) =>
  String(text).replace(HIDDEN, (c) => "\\u" + (c.codePointAt(0) > 0xffff ? `{${c.codePointAt(0).toString(16)}}` : c.codePointAt(0).toString(16).padStart(4, "0")));

/** A request's title once it is decided: no longer a question. */
export const statement = (text) => visible(text).replace(/\?$/, "");

export const more = (text) => t("value.more", { n: text.length - LONG });
