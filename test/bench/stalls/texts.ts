/** So many items, joined. */
export const times = (count: number, item: (index: number) => string, separator = ','): string =>
  Array.from({ length: count }, (_, index) => item(index)).join(separator)

/** A text of so many characters. */
export const letters = (length: number): string => 'lorem ipsum '.repeat(Math.ceil(length / 12)).slice(0, length)
