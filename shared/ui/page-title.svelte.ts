/** What the tab is called; a view may know a better name than its own. */
export const pageTitle = $state({ name: '' });
