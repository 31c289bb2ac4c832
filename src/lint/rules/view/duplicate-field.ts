import { ALLOW_LISTS, formExample, type LintRule } from '../../rule.ts'

/** Fields that occur twice. */
export const viewDuplicateField: LintRule = {
  id: 'view/duplicate-field',
  severity: 'warn',
  summary: 'A field is listed twice',
  details: `If a view lists a field twice, it is ambiguous which entry applies, so the project is not served. A field can be in one group only. In an allow-list the second entry has
no effect and may be a typing error. \`--fix\` removes it from an allow-list.`,
  invalid: [
    formExample('fields:\n  - { name: title }\n  - { name: »title« }\n'),
    formExample('fields: [{ name: title }, { name: body }]\ncreation_fields: [title, body, »title«]\n'),
    formExample('fields: [{ name: title }]\nallowed_update_fields:\n  - title\n  - »title«\n'),
    formExample('fields: [{ name: title }]\ngroups: [{ title: A, fields: [title] }, { title: B, fields: [»title«] }]\n'),
  ],
  valid: [
    formExample('fields:\n  - { name: title }\n  - { name: body }\n'),
    formExample('fields: [{ name: title }]\ncreation_fields: [title]\nallowed_update_fields: [title]\n'),
  ],
  view({ form, source }, report) {
    for (const list of form === undefined ? [] : ALLOW_LISTS) {
      const names = form?.[list] ?? []
      for (const [index, name] of names.entries()) {
        if (name === '' || names.indexOf(name) === index) continue
        const path = [list, index]
        report(source, path, `'${name}' is listed twice in ${list}; remove one`, { fix: { kind: 'remove', path } })
      }
    }
  },
}
