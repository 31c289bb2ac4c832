import { formExample } from '../../example.ts'
import { LISTS, namesIn, type Rule } from '../../rule.ts'

/** Allow-lists with fields that grant permissions. */
export const viewPrivilegedField: Rule = {
  id: 'view/privileged-field',
  severity: 'warn',
  summary: 'An allow-list names a field that gives rights away',
  details: `is_superuser, groups and permissions say what a user may do. Only a superuser may set them, so for everybody else the form fails
with a 403 as soon as they fill such a field in; and a superuser gives rights away where a profile was meant to be edited. Keep them in a
form of their own, and disable this rule there.`,
  invalid: [
    {
      files: {
        'views/user.yaml':
          'name: UserForm\nview_type: form\nmodel: User\nfields: [{ name: is_superuser }]\nallowed_update_fields: [»is_superuser«]\n',
      },
    },
    {
      files: {
        'views/group.yaml':
          'name: GroupForm\nview_type: form\nmodel: Group\nfields: [{ name: name }, { name: permissions }]\ncreation_fields:\n  - name\n  - »permissions«\n',
      },
    },
  ],
  valid: [
    {
      files: {
        'views/user.yaml':
          'name: UserForm\nview_type: form\nmodel: User\nfields: [{ name: email }, { name: groups }]\nallowed_update_fields: [email]\n',
      },
    },
    formExample('fields: [{ name: title }]\ncreation_fields: [title]\n'),
  ],
  view({ project, form, model, source }, report) {
    for (const list of form === undefined ? [] : LISTS) {
      for (const [name, path] of form === undefined ? [] : namesIn(form, list)) {
        if (!project.isPrivileged(model, name)) continue
        report(source, path, `'${name}' gives rights to a ${model.key}, and only a superuser may set it; keep it out of ${list}`)
      }
    }
  },
}
