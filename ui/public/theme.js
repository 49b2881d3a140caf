// Runs before the first paint, so that a dark page never flashes white. A file of its own: the page allows no inline script.
(function () {
  var wanted = null;
  try {
    wanted = localStorage.getItem("mantine-color-scheme-value");
  } catch {
    // Storage may be forbidden; the system's theme is used then.
  }
  var dark = wanted === "dark" || (wanted !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
