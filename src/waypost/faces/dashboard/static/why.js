// A wide drawing starts at its root; text to copy is selected on focus.
const root = document.querySelector(".graph .root");
const sheet = root?.closest(".scroll");
if (sheet) sheet.scrollLeft += root.getBoundingClientRect().left - sheet.getBoundingClientRect().left - sheet.clientWidth / 4;

for (const text of document.querySelectorAll("[data-copied]")) text.addEventListener("focus", () => text.select());
