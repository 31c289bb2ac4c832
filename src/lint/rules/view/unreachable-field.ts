import { allowLists, formExample, type LintRule } from '../../rule.ts'

/** Fields of a form that cannot be filled in. */
export const viewUnreachableField: LintRule = {
  id: 'view/unreachable-field',
  severity: 'warn',
  summary: 'A field of a form is in neither allow-list and not readonly',
  details: `People can fill in the field, but every request with it is rejected. Add it to creation_fields or allowed_update_fields, or
mark it readonly: true, which \`--fix\` adds.`,
  invalid: [
    formExample('fields: [{ name: title }, { name: »body« }]\ncreation_fields: [title]\n'),
    formExample('fields:\n  - name: title\n  - name: »views«\ncreation_fields: []\nallowed_update_fields: [title]\n'),
  ],
  valid: [
    formExample('fields: [{ name: title }, { name: body, readonly: true }]\ncreation_fields: [title]\n'),
    formExample('fields: [{ name: title }, { name: body }]\nallowed_update_fields: [title]\n'),
  ],
  field({ form, field, source, path }, report) {
    if (form === undefined || field.readonly === true || field.disabled === true) return
    const { create, update } = allowLists(form)
    if (create === undefined || update === undefined || create.includes(field.name) || update.includes(field.name)) return
    const at = [...path, 'name']
    const fix =
      field.readonly === undefined
        ? ({ kind: 'add', path, key: 'readonly', value: true } as const)
        : ({ kind: 'set', path: [...path, 'readonly'], value: true } as const)
    report(
      source,
      at,
      `'${field.name}' is in neither creation_fields nor allowed_update_fields; add it there, or readonly: true here`,
      { fix },
    )
  },
}
