const SCHEME_AND_USER = String.raw`:\/\/[^\s/:@"']{0,200}:`

/** The password of the URL of a database: up to the last `@` of the word, as far as an unescaped password reaches. */
const DATABASE_PASSWORD = new RegExp(`(?<=\\bpost?gres[a-z]{0,9}${SCHEME_AND_USER})[^\\s"']+(?=@)`, 'gi')

/** The password of any other URL. After a port, an `@` belongs to the path. */
const PASSWORD = new RegExp(`(?<=\\b[a-z][a-z0-9+.-]{0,30}${SCHEME_AND_USER})(?!\\d{1,5}[/?#])[^\\s"']+(?=@)`, 'gi')

/** A password among the parameters of a URL. */
const PARAMETER = /(?<=[?&]password=)[^\s&"'#]+/gi

/** Replaces the passwords of the URLs in a text. */
export const withoutUrlPasswords = (text: string, replaced: (password: string) => string): string =>
  [DATABASE_PASSWORD, PASSWORD, PARAMETER].reduce((rest, pattern) => rest.replace(pattern, replaced), text)
