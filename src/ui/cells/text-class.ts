/** Texts that two lines of a column hold for sure. */
const SHORT = /^[ -~]{0,36}$/

/**
 * The classes of a text of at most two lines. Only one that may be longer is cut off: each element that cuts its contents off is drawn
 * apart from the others, which is slow in a list of thousands.
 */
export const textClass = (text: string): string => (SHORT.test(text) ? 'cell-text' : 'cell-text cell-cut')
