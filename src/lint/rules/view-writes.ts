import { hasDefault, isNeeded, isSettable } from '../../model/field.ts'
import { ALLOW_LISTS, allowListNames, allowLists, formExample, type LintRule, quoted } from '../rule.ts'

/** Rules for who may write which field by a form. */
export const VIEW_WRITE_RULES = {
  'view/password-exposed': {
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
  },
  'view/primary-key-writable': {
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
          // Computed fields have a rule of their own.
          if (field === undefined || field.computed || isSettable(field)) continue
          const fix = { kind: 'remove', path } as const
          report(source, path, `'${name}' is set by the server only; remove it from ${list}`, { fix })
        }
      }
    },
  },
  'view/privileged-field': {
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
  },
  'view/readonly-updatable': {
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
  },
  'view/required-not-creatable': {
    severity: 'error',
    summary: 'A form omits a mandatory field, so it can never create a record',
    details: `A field that is required, by the model or by the form, and has no default must be in creation_fields; otherwise every create with this
form is rejected. Add the field, give it a default in the model, or write creation_fields: [] for a form that only edits.`,
    invalid: [
      formExample('fields: [{ name: body }]\ncreation_fields: »[body]«\n'),
      formExample(
        'fields: [{ name: title }, { name: rating, required: true }]\ncreation_fields:\n  »- title«\nallowed_update_fields: [rating]\n',
      ),
    ],
    valid: [
      formExample('fields: [{ name: title }, { name: body }]\ncreation_fields: [title, body]\n'),
      formExample('fields: [{ name: body }]\ncreation_fields: []\nallowed_update_fields: [body]\n'),
      formExample(
        'fields: [{ name: title }, { name: status, required: true }]\ncreation_fields: [title]\nallowed_update_fields: [status]\n',
      ),
    ],
    view({ form, model, source, fieldOf }, report) {
      const listed = form?.creation_fields
      if (form === undefined || listed === undefined || listed.length === 0) return
      const wanted = new Set(form.fields.filter(({ required }) => required === true).map(({ name }) => name))
      const missing = [...model.fields.keys()].filter((name) => {
        const field = fieldOf(name)
        const mustBeSet = field !== undefined && isSettable(field) && !hasDefault(field) && (isNeeded(field) || wanted.has(name))
        return mustBeSet && !listed.includes(name)
      })
      if (missing.length === 0) return
      const are = missing.length === 1 ? 'is required, has no default and is' : 'are required, have no default and are'
      report(
        source,
        ['creation_fields'],
        `${form.name} can never create a ${model.name}: ${quoted(missing)} ${are} not in creation_fields; add ${missing.length === 1 ? 'it' : 'them'}`,
      )
    },
  },
  'view/unreachable-field': {
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
    field({ form, field, modelField, source, path }, report) {
      // Forms show computed fields read-only.
      if (form === undefined || field.readonly === true || field.disabled === true || modelField.computed) return
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
  },
} as const satisfies Readonly<Record<string, LintRule>>
