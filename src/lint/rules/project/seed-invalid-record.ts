import type { Example, LintRule } from '../../rule.ts'

const MODEL = 'name: Note\nfields:\n  - { name: text, type: string, unique: true, max_length: 9 }\n'

const seedExample = (file: string, text: string): Example => ({ files: { 'models/note.yaml': MODEL, [file]: text } })

/** Seed records that cannot be created. */
export const seedInvalidRecord: LintRule = {
  id: 'seed/invalid-record',
  severity: 'error',
  summary: 'A seed record breaks its model',
  details: `The records of seed/ are created at the first start and by a reset, all or none. A record whose values break a constraint of its model,
are not unique, or refer to records that do not exist prevents both.

Correct the record, or the model. Relations are ids: records without an id get 1, 2, … in the order of the file.`,
  invalid: [
    seedExample('seed/note.yaml', '- { text: short }\n- { text: »far too long« }\n'),
    seedExample('seed/note.json', '[\n  { "text": "same" },\n  { "text": »"same"« }\n]\n'),
    seedExample('seed/note.yaml', '- { titel: »short« }\n'),
    { files: { 'seed/post.yaml': '- { title: Hello, author_id: »7« }\n' } },
  ],
  valid: [
    seedExample('seed/note.yaml', '- { text: short }\n- { text: another }\n'),
    { files: { 'seed/post.yaml': '- { title: Hello, tags: [1] }\n', 'seed/tag.csv': 'name\nnews\n' } },
  ],
}
