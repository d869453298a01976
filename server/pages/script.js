"use strict";
// Comfort alone: every page works without it.
document.documentElement.classList.add("js");

const rows = [...document.querySelectorAll("[data-row]")];
const help = document.getElementById("keys");
const link = (row) => row.querySelector("td.name a");
const here = () => rows.findIndex((row) => row.contains(document.activeElement));

function go(step) {
  if (!rows.length) return;
  const at = here();
  const next = rows[at < 0 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)];
  link(next).focus();
  next.scrollIntoView({ block: "nearest" });
}

const pressed = {
  "/": () => { const box = document.querySelector("main input[type=search], input[type=search]"); if (box) { box.focus(); box.select(); } },
  "j": () => go(1),
  "k": () => go(-1),
  "n": () => { const at = here(); (at < 0 ? document.querySelector(".actions [data-nzb]") : rows[at].querySelector("[data-nzb]"))?.click(); },
  "x": () => { const at = here(); if (at >= 0) rows[at].querySelector("input[type=checkbox]")?.click(); },
  "[": () => document.querySelector("a[rel=prev]")?.click(),
  "]": () => document.querySelector("a[rel=next]")?.click(),
  "?": () => help.open ? help.close() : help.showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input:not([type=checkbox]), select, textarea");
  if (typing && event.key === "Escape") event.target.blur();
  if (typing || (help.open && event.key !== "?")) return;
  const act = pressed[event.key];
  if (act) { event.preventDefault(); act(); }
});

// Fields that are left empty stay out of the address of a search.
document.addEventListener("submit", (event) => {
  const sure = event.submitter?.dataset.sure;
  if (sure && !confirm(sure)) { event.preventDefault(); return; }
  if (event.target.getAttribute("role") !== "search") return;
  const empty = [...event.target.elements].filter((field) => field.name && !field.value);
  for (const field of empty) field.disabled = true;
  setTimeout(() => { for (const field of empty) field.disabled = false; });
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  field.select();
  try { await navigator.clipboard.writeText(field.value); } catch { document.execCommand("copy"); }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
});

// The zip button says how many are chosen, and waits until one is.
const zip = document.querySelector("[data-chosen]");
if (zip) {
  const count = () => {
    const chosen = document.querySelectorAll("[data-row] input:checked").length;
    zip.disabled = !chosen;
    zip.textContent = chosen ? `Download ${chosen} as zip` : "Download chosen as zip";
  };
  document.addEventListener("change", count);
  window.addEventListener("pageshow", count);
}
