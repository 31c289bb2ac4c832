import { formExample, type LintRule } from '../../rule.ts'

/** Cross-field rules that cannot work as intended. */
export const viewRuleInvalid: LintRule = {
  id: 'view/rule-invalid',
  severity: 'error',
  summary:
    'A cross-field rule or visible_when is invalid, names an unknown field, is not a condition, or compares values that never match',
  details: `A rule is a CEL expression over the merged record as self, as in Kubernetes. A rule with a syntax error or an unknown field
prevents the project from being served. A rule that compares values of different types (a text with a number), or a
choice with a value that is not one of its choices, is always true or always false: it rejects every record, or none. So does a
rule without self. A rule that is no condition, such as self.title alone, rejects every record.

The condition visible_when of a field is checked alike: a field whose condition never holds is never displayed.

Compare null with == and !=. A date, time or datetime is text in ISO 8601; timestamp(self.published_at) converts it to a timestamp.`,
  invalid: [
    formExample('fields: [{ name: title, visible_when: »self.titel != null« }]\n'),
    formExample(`fields: [{ name: title, visible_when: »'self.status == "publishd"'« }]\n`),
    formExample('fields: [{ name: title }]\nrules:\n  - { rule: »self.title ==«, field: title, message: No }\n'),
    formExample('fields: [{ name: title }]\nrules:\n  - { rule: »self.titel != null«, field: title, message: No }\n'),
    formExample("fields: [{ name: title }]\nrules:\n  - rule: »self.views > 'many'«\n    field: title\n    message: No\n"),
    formExample(`fields: [{ name: status }]\nrules:\n  - { rule: »'self.status != "publishd"'«, field: status, message: No }\n`),
    formExample('fields: [{ name: title }]\nrules:\n  - { rule: »self.title«, field: title, message: No }\n'),
    formExample("fields: [{ name: title }]\nrules:\n  - { rule: »'1 > 2'«, field: title, message: No }\n"),
  ],
  valid: [
    formExample(`fields: [{ name: title }, { name: published_at, visible_when: 'self.status == "published"' }]\n`),
    formExample(
      `fields: [{ name: status }]\nrules:\n  - { rule: 'self.published_at == null || self.status == "published"', field: status, message: No }\n`,
    ),
    formExample(
      'fields: [{ name: rating }]\nrules:\n  - { rule: self.rating == null || self.rating > 1, field: rating, message: No }\n',
    ),
  ],
  view({ project, form, model, source }, report) {
    for (const [index, { rule }] of (form?.rules ?? []).entries()) {
      for (const problem of project.ruleProblems(rule, model)) report(source, ['rules', index, 'rule'], problem)
    }
    for (const [index, { visible_when: when }] of (form?.fields ?? []).entries()) {
      if (when === undefined) continue
      for (const problem of project.ruleProblems(when, model)) report(source, ['fields', index, 'visible_when'], problem)
    }
  },
}
