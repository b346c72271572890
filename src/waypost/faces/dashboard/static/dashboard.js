// Keyboard shortcuts and select-all boxes. Every page works without script.
const typing = (target) => target.closest("input, textarea, select, [contenteditable]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && typing(event.target)) return event.target.blur();
  if (typing(event.target)) return;
  const control = [...document.querySelectorAll("[data-key]")].find((element) => element.dataset.key === event.key);
  if (!control) return;
  event.preventDefault();
  control.matches("input, textarea, select") ? control.focus() : control.click();
});

for (const all of document.querySelectorAll("input[data-all]")) {
  all.addEventListener("change", () => {
    for (const box of document.querySelectorAll(`input[type=checkbox][name="${all.dataset.all}"]`)) box.checked = all.checked;
  });
}

for (const menu of document.querySelectorAll("details.menu")) {
  document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}

// j and k, or the arrows, move between hits; Enter opens the link.
const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
document.addEventListener("keydown", (event) => {
  const step = STEPS[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const hits = [...document.querySelectorAll("[data-hit]")];
  const at = hits.indexOf(document.activeElement);
  if (!hits.length || (at < 0 && event.key.startsWith("Arrow"))) return; // arrows scroll until a hit is chosen
  event.preventDefault();
  hits[Math.min(hits.length - 1, Math.max(0, at + step))].focus();
});

// A page that waits for a result reloads itself; its link does the same.
const again = document.querySelector("[data-again] a");
if (again) setTimeout(() => location.replace(again.href), 4000);
