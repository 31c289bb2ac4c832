import { ALLOW_LISTS, allowListNames, formExample, type LintRule } from '../../rule.ts'

/** Allow-lists with fields that grant permissions. */
export const viewPrivilegedField: LintRule = {
  id: 'view/privileged-field',
  severity: 'warn',
  summary: 'An allow-list names a field that grants permissions',
  details: `is_superuser, groups and permissions decide what a user may do. Only superusers may set them, so for other users the form fails
with a 403 once they fill in such a field; and a superuser may grant permissions by accident while editing a profile. Keep these fields in
a separate form, and disable this rule there.`,
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
    for (const list of form === undefined ? [] : ALLOW_LISTS) {
      for (const [name, path] of form === undefined ? [] : allowListNames(form, list)) {
        if (!project.isPrivileged(model, name)) continue
        report(
          source,
          path,
          `'${name}' grants permissions to a ${model.key}, and only a superuser may set it; remove it from ${list}`,
        )
      }
    }
  },
}
