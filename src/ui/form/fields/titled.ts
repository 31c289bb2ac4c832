/** A message of the server about a field, by the title that the user sees: the server names some fields by their key. */
export const titled = (message: string, name: string, title: string): string =>
  message.startsWith(`${name} `) ? title + message.slice(name.length) : message
