/** English texts of parts that are loaded on first use, and their texts with them. */
export const enLater = {
  markdown: {
    tools: 'Format',
    bold: 'Bold',
    italic: 'Italic',
    heading: 'Heading',
    list: 'List',
    link: 'Link',
    code: 'Code',
    quote: 'Quote',
    preview: 'Preview',
    nothing: 'Nothing to preview yet',
  },
}

/** The texts that each language has for parts that are loaded on first use. */
export type LaterText = typeof enLater

export default enLater
