// Light or dark, before anything is painted: as the system says, unless it was chosen here.
(() => {
  const chosen = (() => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // storage is switched off
    }
  })();
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
