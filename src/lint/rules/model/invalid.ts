import { type LintRule, modelExample } from '../../rule.ts'

/** Malformed models. */
export const modelInvalid: LintRule = {
  id: 'model/invalid',
  severity: 'error',
  summary: 'A model is malformed',
  details: `A model has a class name and a list of fields; a field has a name, a type and the options of its type. Names are unique: of
models, also ignoring case, and of fields and relations of a model. A model that replaces a built-in one (user, group, permission) keeps its
fields.

The message names the key or value; for an unknown key or type it suggests a similar one.`,
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
