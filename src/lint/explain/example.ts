import type { Example } from '../rule.ts'

/** The models of the rules' examples. */
export const EXAMPLE_MODELS: Readonly<Record<string, string>> = {
  'models/example.yaml': `- name: Post
  fields:
    - { name: title, type: string, required: true, min_length: 3, max_length: 200 }
    - { name: body, type: text }
    - { name: status, type: choice, choices: [draft, published], default: draft }
    - { name: rating, type: number, gte: 0, lte: 5 }
    - { name: views, type: integer, default: 0 }
    - { name: is_featured, type: boolean }
    - { name: published_at, type: datetime }
    - { name: author_id, type: foreignkey, model: user }
    - { name: tags, type: many_to_many, model: tag }
- name: Tag
  fields:
    - { name: name, type: string, required: true }
`,
}

const INTRO = 'name: PostForm\nview_type: form\nmodel: Post\n'

/** An example with one form view of Post. */
export const formExample = (rest: string): Example => ({ files: { 'views/post.yaml': `${INTRO}${rest}` } })

/** An example with one list view of Post. */
export const listExample = (rest: string): Example => ({
  files: { 'views/post.yaml': `name: PostList\nview_type: list\nmodel: Post\n${rest}` },
})

/** An example with one model file. */
export const modelExample = (text: string): Example => ({ files: { 'models/other.yaml': text } })

/** An example with settings. */
export const configExample = (text: string): Example => ({ files: { 'admin.config.yaml': text } })

/** An example of a change in one file. */
export const changeExample = (file: string, before: string, after: string): Example => ({
  files: { [file]: after },
  before: { [file]: before },
})

/** An example of a change of the only field of a model. */
export const fieldChangeExample = (before: string, after: string): Example => {
  const model = (field: string) => `name: Note\nfields:\n  - ${field}\n`
  return changeExample('models/note.yaml', model(before), model(after))
}

const START = '»'
const END = '«'

/** A span of a text; positions start at 1, the end is exclusive. */
export interface Span {
  readonly line: number
  readonly column: number
  readonly end: { readonly line: number; readonly column: number }
}

/** Removes the marks `»` and `«` from a text and returns the marked spans. */
export function unmark(marked: string): { text: string; spans: Span[] } {
  const spans: Span[] = []
  const open: Omit<Span, 'end'>[] = []
  let text = ''
  let line = 1
  let column = 1
  for (const character of marked) {
    if (character === START) open.push({ line, column })
    else if (character === END) {
      const start = open.pop()
      if (start !== undefined) spans.push({ ...start, end: { line, column } })
    } else {
      text += character
      column += character.length
      if (character === '\n') [line, column] = [line + 1, 1]
    }
  }
  return { text, spans }
}
