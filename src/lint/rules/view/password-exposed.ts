import type { LintRule } from '../../rule.ts'

/** Passwords that a view would display. */
export const viewPasswordExposed: LintRule = {
  id: 'view/password-exposed',
  severity: 'error',
  summary: 'A password is in a list, or in a form without the password widget',
  details: `The API never returns a password, so a column for it stays empty. In a form without widget: password it is visible
while it is typed, and a default_value would be a password that every user can read. \`--fix\` adds the widget where none is given.`,
  invalid: [
    { files: { 'views/user.yaml': 'name: UserList\nview_type: list\nmodel: User\nfields:\n  - { name: »password« }\n' } },
    { files: { 'views/user.yaml': 'name: UserForm\nview_type: form\nmodel: User\nfields:\n  - { name: »password« }\n' } },
    {
      files: {
        'views/user.yaml': 'name: UserForm\nview_type: form\nmodel: User\nfields:\n  - { name: password, widget: »text« }\n',
      },
    },
  ],
  valid: [
    {
      files: {
        'views/user.yaml': 'name: UserForm\nview_type: form\nmodel: User\nfields:\n  - { name: password, widget: password }\n',
      },
    },
    { files: { 'views/user.yaml': 'name: UserList\nview_type: list\nmodel: User\nfields:\n  - { name: username }\n' } },
  ],
  field({ form, field, modelField, source, path }, report) {
    if (!modelField.type.secret) return
    const { name, widget } = field
    if (form === undefined) {
      report(source, [...path, 'name'], `'${name}' is a password, which a list never shows; remove it`)
    } else if (widget === undefined) {
      const fix = { kind: 'add', path, key: 'widget', value: 'password', after: 'name' } as const
      report(source, [...path, 'name'], `'${name}' is a password and would be visible while typed; add widget: password`, {
        fix,
      })
    } else if (widget !== 'password') {
      report(source, [...path, 'widget'], `'${name}' is a password and would be visible while typed; use widget: password`)
    }
    if ((field.default_value ?? null) !== null) {
      report(source, [...path, 'default_value'], `'${name}' is a password, and every user can read this default; remove it`)
    }
  },
}
