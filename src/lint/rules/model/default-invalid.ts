import { type LintRule, modelExample } from '../../rule.ts'

/** Defaults that their own field rejects. */
export const modelDefaultInvalid: LintRule = {
  id: 'model/default-invalid',
  severity: 'error',
  summary: 'The default of a field is not a valid value of the field',
  details: `A default is stored when a request omits the field, so it must be a value that a request could send: of the field's type, within its
limits, one of its choices.`,
  invalid: [
    modelExample('name: Note\nfields:\n  - { name: size, type: choice, choices: [s, m], default: »l« }\n'),
    modelExample('name: Note\nfields:\n  - { name: stars, type: integer, default: »"3"« }\n'),
  ],
  valid: [
    modelExample('name: Note\nfields:\n  - { name: size, type: choice, choices: [s, m], default: m }\n'),
    modelExample('name: Note\nfields:\n  - { name: stars, type: integer, default: 3 }\n'),
  ],
}
