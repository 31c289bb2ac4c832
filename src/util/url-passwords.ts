/** The password of a URL: from the colon after the user name to the last `@` of the word, as far as an unescaped password reaches. */
const PASSWORD = /(?<=\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"']{0,200}:)[^\s"']+(?=@)/gi

/** A password among the parameters of a URL. */
const PARAMETER = /(?<=[?&]password=)[^\s&"'#]+/gi

/** Replaces the passwords of the URLs in a text. */
export const withoutUrlPasswords = (text: string, replaced: (password: string) => string): string =>
  text.replace(PASSWORD, replaced).replace(PARAMETER, replaced)
