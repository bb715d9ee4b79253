// The light or dark theme, set before anything is painted: that of the system, unless the user has chosen one.
(() => {
  const theme = (() => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // storage is switched off
    }
  })();
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
