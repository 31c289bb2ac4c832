import type { FormViewDefinition } from '../../../views/definition.ts'
import { commonForms } from '../../field-options.ts'
import { changeExample, type LintRule } from '../../rule.ts'

const FORM = 'name: F\nview_type: form\nmodel: Post\nfields: [{ name: title }, { name: body }]\n'

/** Added and removed cross-field rules of forms. */
export const contractRule: LintRule = {
  id: 'contract/rule',
  severity: 'error',
  summary: 'A cross-field rule of a form was added (breaking) or removed',
  details: `Checked only with --against. A new rule rejects records that used to be valid. Rules are compared by their expression: another message,
field or white space does not count; a changed expression counts as one rule removed and one added.`,
  invalid: [
    changeExample('views/a.yaml', FORM, `${FORM}rules:\n  - »{ rule: self.title != "", field: title, message: No title }«\n`),
    changeExample(
      'views/a.yaml',
      `${FORM}rules:\n  - { rule: size(self.title) > 3, field: title, message: Too short }\n`,
      `${FORM}rules:\n  - »{ rule: size(self.title) > 5, field: title, message: Too short }«\n`,
    ),
  ],
  valid: [
    changeExample(
      'views/a.yaml',
      `${FORM}rules:\n  - { rule: self.title != "", field: title, message: No title }\n`,
      `${FORM}rules:\n  - { rule: self.title  !=  "", field: body, message: A title is missing }\n`,
    ),
    changeExample('views/a.yaml', `${FORM}rules:\n  - { rule: self.title != "", field: title, message: No title }\n`, FORM),
  ],
  compare(before, after, report) {
    for (const { was, is } of commonForms(before, after)) {
      const [old, now] = [conditionsOf(was), conditionsOf(is.view)]
      for (const [index, demand] of now.entries()) {
        if (old.includes(demand)) continue
        report(is.source, ['rules', index], `The form ${was.name} has a new rule: ${demand}`, { breaking: true })
      }
      for (const demand of old) {
        if (now.includes(demand)) continue
        report(is.source, ['name'], `The form ${was.name} no longer has the rule: ${demand}`, { breaking: false })
      }
    }
  },
}

/** The conditions of the rules; white space matters only within quotes. */
const conditionsOf = ({ rules = [] }: FormViewDefinition): string[] =>
  rules.map(({ rule }) => rule.trim().replace(QUOTED_OR_SPACES, (_, quoted?: string) => quoted ?? ' '))

const QUOTED_OR_SPACES = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\s+/g
