import { modelExample } from '../../example.ts'
import type { Rule } from '../../rule.ts'

/** Defaults that their own field rejects. */
export const modelDefaultInvalid: Rule = {
  id: 'model/default-invalid',
  severity: 'error',
  summary: 'The default of a field is no value of it',
  details: `A default is what is stored when a request says nothing, so it must be what a request could say: of the field's type, within its bounds,
one of its choices.`,
  invalid: [
    modelExample('name: Note\nfields:\n  - { name: size, type: choice, choices: [s, m], default: »l« }\n'),
    modelExample('name: Note\nfields:\n  - { name: stars, type: integer, default: »"3"« }\n'),
  ],
  valid: [
    modelExample('name: Note\nfields:\n  - { name: size, type: choice, choices: [s, m], default: m }\n'),
    modelExample('name: Note\nfields:\n  - { name: stars, type: integer, default: 3 }\n'),
  ],
}
