import type { LaterText } from './en-later.ts'

/** German texts of parts that are loaded on first use. */
const deLater: LaterText = {
  markdown: {
    tools: 'Format',
    bold: 'Fett',
    italic: 'Kursiv',
    heading: 'Überschrift',
    list: 'Liste',
    link: 'Link',
    code: 'Code',
    quote: 'Zitat',
    preview: 'Vorschau',
    nothing: 'Noch nichts zu zeigen',
  },
}

export default deLater
