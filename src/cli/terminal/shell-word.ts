/** A text as one word of a POSIX shell, so that a printed command can be copied: in single quotes where it has other than plain letters. */
export const shellWord = (text: string): string => (/^[\w./@%+:,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
