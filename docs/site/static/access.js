// SPDX-License-Identifier: Apache-2.0
// What the theme leaves out for people who read by keyboard or by ear.
document.addEventListener("DOMContentLoaded", () => {
  for (const caption of document.querySelectorAll(".caption[role=heading]")) {
    caption.setAttribute("aria-level", "2");
  }
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Pages");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
  // What scrolls within itself has to be reached without a mouse.
  for (const wide of document.querySelectorAll("pre, table.docutils, .cell_output")) {
    if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0;
  }
  // What is written on a cell that unfolds is its name.
  for (const fold of document.querySelectorAll("summary[aria-label]")) {
    if (fold.textContent.trim() !== "") fold.removeAttribute("aria-label");
  }
  // A corner without a word heads nothing.
  for (const corner of document.querySelectorAll("th")) {
    if (corner.textContent.trim() === "") corner.replaceWith(document.createElement("td"));
  }
});
