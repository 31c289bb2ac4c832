import { modelExample } from '../../example.ts'
import type { Rule } from '../../rule.ts'

/** Malformed models. */
export const modelInvalid: Rule = {
  id: 'model/invalid',
  severity: 'error',
  summary: 'A model is not written as models are',
  details: `A model has a class name and a list of fields, and a field a name, a type and what that type may have. Names are not given twice: not
to two models, even in another case, not to two fields, nor to a field and a relation. A model that extends a built-in one (user, group,
permission) keeps its fields.

The message names the key or value; for an unknown key or type it suggests what was probably meant.`,
  invalid: [
    modelExample('name: Other\nfields:\n  - { name: title, type: string, »max_lenght«: 10 }\n'),
    modelExample('name: Other\nfields:\n  - { name: title, type: »strng« }\n'),
    modelExample('name: »note«\nfields: []\n'),
  ],
  valid: [
    modelExample('name: Other\nfields:\n  - { name: title, type: string, max_length: 10 }\n'),
    modelExample('name: Other\nlabel: Others\ntimestamps: true\nfields: []\n'),
  ],
}
