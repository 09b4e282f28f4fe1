// Sets the chosen colour scheme before the first paint. It is a separate file, because the page allows no inline scripts.
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
