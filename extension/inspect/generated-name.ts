/** Ids and classes made by a build or at run time: `css-1x2y3z`, `row_4711`, `Title__aB3xY`, `:r1:`. Another day they are others. */
export const GENERATED_NAME = /\d{2,}|^(css|sc|jss|svelte|emotion)-|__(?=.*[A-Z0-9])[\w-]{5}$|^(?=.*\d)(?=.*[A-Z])|^:/;
