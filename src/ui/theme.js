// Runs before the first paint, so that a chosen theme does not flash. Without a choice, the system decides by the stylesheet.
try {
  const theme = JSON.parse(localStorage.getItem('admin.theme'))
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
} catch {
  // No storage: the system decides.
}
