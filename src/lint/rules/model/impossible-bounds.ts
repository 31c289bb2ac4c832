import { type LintRule, modelExample } from '../../rule.ts'

/** Limits that no value satisfies. */
export const modelImpossibleBounds: LintRule = {
  id: 'model/impossible-bounds',
  severity: 'error',
  summary: 'No value can satisfy the limits of a field',
  details: `A lower limit above the upper one, or choices of another type than the field's, exclude every value: no record with
the field can be stored. Swap the limits, or write the choices in the field's type (text in quotes, numbers without).`,
  invalid: [
    modelExample('name: Note\nfields:\n  - { name: text, type: string, min_length: 10, max_length: »5« }\n'),
    modelExample('name: Note\nfields:\n  - { name: stars, type: integer, gt: 4, lt: »5« }\n'),
    modelExample('name: Note\nfields:\n  - { name: size, type: choice, choices: »[1, 2]« }\n'),
  ],
  valid: [
    modelExample('name: Note\nfields:\n  - { name: text, type: string, min_length: 5, max_length: 5 }\n'),
    modelExample('name: Note\nfields:\n  - { name: stars, type: number, gt: 4, lt: 5 }\n'),
  ],
}
