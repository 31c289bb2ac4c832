import { type LintRule, modelExample } from '../../rule.ts'

/** Former names that are in use. */
export const modelInvalidRename: LintRule = {
  id: 'model/invalid-rename',
  severity: 'error',
  summary: 'A former name is still in use, or is that of two fields or models',
  details: `\`was\` is the former name of a renamed field or model: the stored values of that name are taken over. It must be a name that no field
of the model, or no model, has now, and only one may have had it.

Remove \`was\`, or remove the field or model of the former name.`,
  invalid: [
    modelExample(
      'name: Other\nfields:\n  - { name: title, type: string, was: »heading« }\n  - { name: heading, type: string }\n',
    ),
    modelExample(
      'name: Other\nfields:\n  - { name: title, type: string, was: heading }\n  - { name: name, type: string, was: »heading« }\n',
    ),
    modelExample('name: Other\nwas: »Post«\nfields: []\n'),
    modelExample('- { name: Other, was: Memo, fields: [] }\n- { name: Another, was: »Memo«, fields: [] }\n'),
  ],
  valid: [
    modelExample('name: Other\nwas: Memo\nfields:\n  - { name: title, type: string, was: heading }\n'),
    modelExample(
      '- { name: Other, fields: [{ name: a, type: string, was: z }] }\n- { name: Another, fields: [{ name: b, type: string, was: z }] }\n',
    ),
  ],
}
