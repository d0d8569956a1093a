"""What a well-drawn card looks like, as rules that hold in every look: a sheet that broke or got lost breaks one."""

from playwright.sync_api import Page

# selector -> property -> value; a value that begins with "--" is a colour token of the page.
LOOK: dict[str, dict[str, str]] = {
    ".cs-confirm:not(.settled)": {"background-color": "--cs-surface", "border-top-left-radius": "14px"},
    ".cs-confirm:not(.settled) .cs-state:not(.neutral)": {"color": "--cs-wait", "display": "flex"},
    ".cs-confirm.risk-danger .cs-risk": {"color": "--cs-danger"},
    ".cs-confirm .cs-title": {"font-size": "17px", "color": "--cs-text"},
    ".cs-confirm .cs-foot": {"border-top-style": "dashed", "display": "grid"},
    ".cs-confirm .cs-actions": {"position": "static"},
    ".cs-btn.primary.danger:not(.off):enabled": {"background-color": "--cs-danger-fill", "color": "--cs-on-danger"},
    ".cs-btn.primary.change:not(.off):enabled": {"background-color": "--cs-ink", "color": "--cs-on-ink"},
    ".cs-btn.primary.off": {"background-color": "--cs-sunken", "cursor": "not-allowed"},
    ".cs-btn.secondary:not(:hover)": {"border-top-color": "--cs-control", "background-color": "--cs-surface"},
    ".cs-list li": {"display": "flex", "list-style-type": "none"},
    ".cs-facts": {"display": "grid"},
    ".cs-diff": {"table-layout": "fixed"},
    ".cs-since": {"background-color": "--cs-wait-soft"},
    ".cs-line.minus": {"background-color": "--cs-danger-soft"},
    ".cs-line.plus": {"background-color": "--cs-ok-soft"},
    ".cs-count": {"display": "flex"},
    ".cs-field .cs-in:not(:focus, [aria-invalid=true])": {
        "border-top-color": "--cs-control",
        "border-top-style": "solid",
    },
    ".cs-form": {"display": "grid"},
    ".cs-err:not(:empty)": {"color": "--cs-danger", "display": "flex"},
    ".cs-hint.changed": {"color": "--cs-ink"},
    ".cs-edited": {"color": "--cs-ink"},
    ".cs-row": {"display": "grid", "list-style-type": "none"},
    ".cs-row .cs-check": {"width": "18px", "appearance": "none"},
    ".cs-batch.settled": {"box-shadow": "none"},
    ".cs-receipt": {"border-top-left-radius": "14px", "box-shadow": "none"},
    ".cs-receipt .cs-rc": {"display": "grid"},
    ".cs-receipt.is-approved .cs-rc-by": {"color": "--cs-ink"},
    ".cs-receipt.is-denied .cs-rc-title": {"color": "--cs-text-2"},
    ".cs-res.failed .cs-i": {"color": "--cs-danger"},
    ".cs-error .cs-stamp": {"background-color": "--cs-danger-soft"},
    ".cs-choices": {"display": "grid"},
    ".cs-choice": {"border-top-style": "solid", "border-top-left-radius": "10px"},
    ".cs-steps-sum": {"display": "flex"},
    ".cs-step-ic.done": {"color": "--cs-ok"},
    ".cs-step-ic.failed": {"color": "--cs-danger"},
    ".cs-step-kind": {"color": "--cs-text-3"},
    ".cs-sources": {"color": "--cs-text-3", "font-size": "13px"},
    ".cs-step .cs-paths": {"border-top-left-radius": "10px"},
    ".cs-thought .cs-think-body": {"white-space": "pre-wrap", "border-top-width": "0px"},
    ".cs-notice": {"display": "flex"},
}

_LOOKED_AT = """look => {
  const probe = document.body.appendChild(document.createElement('i'));
  const colour = token => { probe.style.color = `var(${token})`; return getComputedStyle(probe).color };
  const here = e => e.checkVisibility() && e.getClientRects().length;
  const seen = [], wrong = [];
  for (const [selector, rules] of Object.entries(look)) {
    const found = [...document.querySelectorAll('.cs-card')].flatMap(c => [c, ...c.querySelectorAll('*')])
      .filter(e => e.matches(selector) && here(e));
    if (found.length) seen.push(selector);
    for (const e of found) for (const [property, value] of Object.entries(rules)) {
      const want = value.startsWith('--') ? colour(value) : value, is = getComputedStyle(e).getPropertyValue(property);
      if (is !== want) wrong.push(`${selector} has ${property} ${is} instead of ${want}`);
    }
  }
  probe.remove();
  return [seen, [...new Set(wrong)].slice(0, 5)];
}"""

_REACH = """() => {
  const wrong = [], name = e => e.dataset.act || e.className || e.tagName;
  for (const e of document.querySelectorAll('.cs-card :is(button, input, select, textarea, summary)')) {
    if (!e.checkVisibility() || !e.getClientRects().length) continue;
    e.scrollIntoView({block: 'center', behavior: 'instant'});
    const box = e.getBoundingClientRect();
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (!(e.contains(top) || e.labels?.[0]?.contains(top))) wrong.push(`${name(e)} is covered or out of sight`);
    if (e.matches('button') && e.scrollWidth > e.clientWidth + 1) wrong.push(`the words of ${name(e)} are cut off`);
  }
  for (const parent of document.querySelectorAll('.cs-card, .cs-foot, .cs-actions, .cs-top, .cs-form, .cs-field')) {
    const boxes = [...parent.children].filter(e => e.checkVisibility() && !e.matches('.cs-sr'))
      .map(e => [e, e.getBoundingClientRect()]).filter(([, b]) => b.width > 1 && b.height > 1);
    for (const [i, [a, p]] of boxes.entries()) for (const [b, q] of boxes.slice(i + 1))
      if (Math.min(p.right, q.right) - Math.max(p.left, q.left) > 2 &&
          Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 2) wrong.push(`${name(a)} overlaps ${name(b)}`);
  }
  for (const card of document.querySelectorAll('.cs-confirm:not(.settled), .cs-receipt'))
    if (parseFloat(getComputedStyle(card).paddingLeft) < 12) wrong.push(`${name(card)} has no room inside`);
  for (const card of document.querySelectorAll('.cs-confirm:not(.settled)'))
    if (getComputedStyle(card).boxShadow === 'none') wrong.push('a request that waits is not raised');
  return [...new Set(wrong)].slice(0, 5);
}"""


def looked_at(page: Page) -> tuple[set[str], list[str]]:
    """Which selectors of `LOOK` are on the page, and what looks otherwise than they say."""
    seen, wrong = page.evaluate(_LOOKED_AT, LOOK)
    return set(seen), wrong


def out_of_reach(page: Page) -> list[str]:
    """Controls of cards that are covered or cut off, parts that lie over each other, requests that do not stand out."""
    return page.evaluate(_REACH)
