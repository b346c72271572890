// A drawing that is wider than the screen begins at what was asked about; text to copy is chosen whole at a click.
const root = document.querySelector(".graph .root");
const sheet = root?.closest(".scroll");
if (sheet) sheet.scrollLeft += root.getBoundingClientRect().left - sheet.getBoundingClientRect().left - sheet.clientWidth / 4;

for (const text of document.querySelectorAll("[data-copied]")) text.addEventListener("focus", () => text.select());
