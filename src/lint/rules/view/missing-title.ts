import { generatedTitle } from '../../../views/generate.ts'
import { formExample, type LintRule, listExample } from '../../rule.ts'

/** Fields without a title. */
export const viewMissingTitle: LintRule = {
  id: 'view/missing-title',
  severity: 'warn',
  summary: 'A field of a view has no title',
  details: `Without a title people see the stored name of the field, such as published_at. \`--fix\` adds the model's label
of the field, or a title derived from its name.`,
  invalid: [
    formExample('fields:\n  - { name: »title«, widget: text }\n'),
    listExample('fields:\n  - name: »published_at«\n    field_type: datetime\n  - { name: body, title: »""« }\n'),
  ],
  valid: [
    formExample('fields:\n  - { name: title, title: Headline }\n'),
    listExample('fields:\n  - { name: author, title: Author }\n'),
  ],
  field({ field, modelField, source, path }, report) {
    const { name, title } = field
    if (title !== undefined && title !== '') return
    const value = modelField.label ?? generatedTitle(name)
    if (title === undefined) {
      const fix = { kind: 'add', path, key: 'title', value, after: 'name' } as const
      report(source, [...path, 'name'], `'${name}' has no title; add one, such as '${value}'`, { fix })
    } else {
      const at = [...path, 'title']
      report(source, at, `The title of '${name}' is empty; write one, such as '${value}'`, {
        fix: { kind: 'set', path: at, value },
      })
    }
  },
}
