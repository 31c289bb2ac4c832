/** A number with a noun, such as "1 file" or "12 files". `shown` is the number as the page writes it. */
export const withNoun = (count: number, one: string, many: string, shown = String(count)): string =>
  count === 1 ? `1 ${one}` : `${shown} ${many}`
