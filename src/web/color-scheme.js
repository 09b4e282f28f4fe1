// Sets the chosen colour scheme before the first paint. A file of its own, because the page allows no inline script.
(function () {
  var chosen;
  try {
    chosen = localStorage.getItem('svc-color-scheme');
  } catch {
    chosen = null;
  }
  var dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();
