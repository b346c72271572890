// Review keys: j and k move, a approves, e edits, r opens the reject question, x selects.
const cards = [...document.querySelectorAll(".candidate")];
const typing = (target) => target.closest("input:not([type=checkbox]), textarea, select");
let at = Math.max(0, cards.indexOf(document.querySelector(".candidate[autofocus]")));

for (const [place, card] of cards.entries()) card.addEventListener("focusin", () => { at = place; });

const go = (place) => {
  at = Math.min(cards.length - 1, Math.max(0, place));
  cards[at].focus();
  cards[at].scrollIntoView({ block: "nearest" });
};

// Deciding keys only act on the focused card; the first press focuses it.
const act = (key) => {
  if (!cards[at].contains(document.activeElement)) return go(at);
  const control = cards[at].querySelector(`[data-act="${key}"]`);
  if (!control) return;
  if (control.matches("button")) return control.click();
  control.open = true;
  control.querySelector("textarea, button").focus();
};

document.addEventListener("keydown", (event) => {
  if (!cards.length || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const keys = {
    j: () => go(cards.includes(document.activeElement) ? at + 1 : at),
    k: () => go(at - 1),
    x: () => {
      const box = cards[at].querySelector("input[type=checkbox]"); if (box) box.checked = !box.checked;
    },
    a: () => act("a"), e: () => act("e"), r: () => act("r"),
  };
  if (!(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
});
