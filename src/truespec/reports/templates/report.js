"use strict";
{
  const form = document.querySelector(".filter");
  const tasks = [...document.querySelectorAll(".task")];
  const texts = tasks.map((task) => task.textContent.toLowerCase());
  const wanted = { domain: "", answer: "", words: "" };
  const count = form.querySelector("output");
  const unfold = form.querySelector("[name=unfold]");

  const apply = () => {
    const words = wanted.words.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    tasks.forEach((task, index) => {
      let candidates = 0;
      for (const one of task.querySelectorAll(".candidate")) {
        one.hidden = wanted.answer !== "" && !one.dataset.answer.split(" ").includes(wanted.answer);
        if (!one.hidden) candidates += 1;
      }
      task.hidden =
        (wanted.domain !== "" && task.dataset.domain !== wanted.domain) ||
        candidates === 0 ||
        !words.every((word) => texts[index].includes(word));
      if (!task.hidden) shown += 1;
    });
    count.textContent = shown === tasks.length ? `${shown} tasks` : `${shown} of ${tasks.length} tasks`;
  };

  form.addEventListener("click", ({ target }) => {
    if (!target.dataset || target.dataset.key === undefined) return;
    wanted[target.dataset.key] = target.dataset.value;
    for (const other of form.querySelectorAll(`[data-key="${target.dataset.key}"]`)) {
      other.setAttribute("aria-pressed", String(other === target));
    }
    apply();
  });
  form.addEventListener("input", ({ target }) => {
    wanted.words = target.value;
    apply();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  unfold.addEventListener("click", () => {
    const open = unfold.textContent.startsWith("unfold");
    tasks.forEach((task) => { task.open = open && !task.hidden; });
    unfold.textContent = open ? "fold all" : "unfold all";
  });
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = tasks.filter((task) => !task.open);
    folded.forEach((task) => { task.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((task) => { task.open = false; }));
  form.hidden = false;
  apply();
}
