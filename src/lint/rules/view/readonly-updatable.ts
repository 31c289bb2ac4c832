import { isSettable } from '../../../model/field.ts'
import { allowListNames, formExample, type LintRule } from '../../rule.ts'

/** Read-only fields that can be updated. */
export const viewReadonlyUpdatable: LintRule = {
  id: 'view/readonly-updatable',
  severity: 'warn',
  summary: 'A field is readonly and in allowed_update_fields',
  details: `Front ends display a readonly or disabled field without an input; the API applies only allowed_update_fields and
accepts a change. One of the two is a mistake. A field that is set once belongs in creation_fields only.`,
  invalid: [
    formExample('fields: [{ name: title }, { name: views, readonly: true }]\nallowed_update_fields: [title, »views«]\n'),
    formExample('fields: [{ name: status, disabled: true }]\nallowed_update_fields:\n  - »status«\n'),
  ],
  valid: [
    formExample('fields: [{ name: title }, { name: views, readonly: true }]\nallowed_update_fields: [title]\n'),
    formExample('fields: [{ name: title, readonly: true }]\ncreation_fields: [title]\nallowed_update_fields: []\n'),
  ],
  view({ form, source, fieldOf }, report) {
    for (const [name, path] of form === undefined ? [] : allowListNames(form, 'allowed_update_fields')) {
      const field = form?.fields.find((each) => each.name === name)
      // Fields that the server assigns have a rule of their own.
      const own = fieldOf(name)
      if (field === undefined || own === undefined || !isSettable(own)) continue
      const flag = field.readonly === true ? 'readonly' : field.disabled === true ? 'disabled' : undefined
      if (flag !== undefined)
        report(source, path, `'${name}' is ${flag} in the form, and in allowed_update_fields; remove one of the two`)
    }
  },
}
