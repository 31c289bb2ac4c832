import { isSettable } from '../../../model/field.ts'
import { ALLOW_LISTS, allowListNames, formExample, type LintRule } from '../../rule.ts'

/** Allow-lists with fields that only the server sets. */
export const viewPrimaryKeyWritable: LintRule = {
  id: 'view/primary-key-writable',
  severity: 'error',
  summary: 'An allow-list names the primary key or another field that only the server sets',
  details: `id, created_at, updated_at and the last_login of a user are set by the server, and requests that set them are rejected. \`--fix\` removes them from the allow-list, which
changes nothing for clients.`,
  invalid: [
    formExample('fields: [{ name: id }, { name: title }]\ncreation_fields: [»id«, title]\n'),
    formExample('fields: [{ name: id }, { name: title }]\nallowed_update_fields:\n  - title\n  - »id«\n'),
  ],
  valid: [
    formExample('fields: [{ name: id, readonly: true }, { name: title }]\ncreation_fields: [title]\n'),
    formExample('fields: [{ name: title }]\nallowed_update_fields: [title]\n'),
  ],
  view({ form, source, fieldOf }, report) {
    for (const list of form === undefined ? [] : ALLOW_LISTS) {
      for (const [name, path] of form === undefined ? [] : allowListNames(form, list)) {
        const field = fieldOf(name)
        if (field === undefined || isSettable(field)) continue
        const fix = { kind: 'remove', path } as const
        report(source, path, `'${name}' is set by the server only; remove it from ${list}`, { fix })
      }
    }
  },
}
