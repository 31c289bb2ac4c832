import { type Field, hasDefault, isNeeded, isSettable } from '../../model/field.ts'
import type { FormViewDefinition } from '../../views/definition.ts'
import type { DefinedView } from '../../views/views.ts'
import { commonForms, commonModels, fieldPath, formerSource, modelSource } from '../field-options.ts'
import { ALLOW_LISTS, allowLists, changeExample, fieldChangeExample, formChangeExample, type LintRule, quoted } from '../rule.ts'

const FIELDS = 'fields: [{ name: title }, { name: body }]\n'

/** Rules for changes since an earlier version. */
export const CONTRACT_RULES = {
  'contract/allow-list': {
    severity: 'error',
    summary: 'An allow-list of a form was narrowed (breaking) or widened',
    details: `Checked only with --against. A request is rejected as a whole if it sends a field that creation_fields or allowed_update_fields no
longer names. A form without the list accepts every field; without allowed_update_fields, updates use creation_fields.`,
    invalid: [
      formChangeExample(
        `${FIELDS}creation_fields: [title, body]\nallowed_update_fields: [title]\n`,
        `${FIELDS}creation_fields: »[title]«\nallowed_update_fields: [title]\n`,
      ),
      formChangeExample(
        'fields: [{ name: title }]\ncreation_fields: [title]\n',
        'fields: [{ name: title }]\ncreation_fields: [title]\nallowed_update_fields: »[]«\n',
      ),
    ],
    valid: [
      formChangeExample(
        'fields: [{ name: title }]\ncreation_fields: [title]\n',
        'fields: [{ name: title }]\ncreation_fields: [title]\nallowed_update_fields: [title]\n',
      ),
      formChangeExample(`${FIELDS}creation_fields: [title, body]\n`, `${FIELDS}creation_fields: [body, title]\n`),
    ],
    compare(before, after, report) {
      for (const { was, is, model } of commonForms(before, after)) {
        const every = [...model.fields.values()].filter(isSettable).map(({ name }) => name)
        const [old, now] = [allowLists(was), allowLists(is.view)]
        for (const [kind, list] of [
          ['create', ALLOW_LISTS[0]],
          ['update', ALLOW_LISTS[1]],
        ] as const) {
          const [passed, passes] = [old[kind] ?? every, now[kind] ?? every]
          // Without a list of its own, an update is limited by the other list.
          const written = is.view[list] === undefined ? ALLOW_LISTS[0] : list
          const say = (names: readonly string[], what: string, breaking: boolean) => {
            if (names.length === 0) return
            const action = kind === 'create' ? 'set at creation' : 'changed'
            report(is.source, [written], `${quoted(names)} can ${what} be ${action} by the form ${was.name}`, { breaking })
          }
          say(
            passed.filter((name) => !passes.includes(name) && model.fields.has(name)),
            'no longer',
            true,
          )
          say(
            passes.filter((name) => !passed.includes(name)),
            'now',
            false,
          )
        }
      }
    },
  },
  'contract/field': {
    severity: 'error',
    summary: 'A field of a model was removed (breaking) or added',
    details: `Checked only with --against. A client that reads, filters by or sends a removed field fails: in a request its name is unknown, which is
a 400. Keep the field until no client uses it. An added field is compatible, unless it is mandatory, which contract/required reports.`,
    invalid: [
      changeExample(
        'models/note.yaml',
        'name: Note\nfields:\n  - { name: text, type: text }\n  - { name: size, type: integer }\n',
        'name: Note\nfields:\n  »- { name: text, type: text }«\n',
      ),
      changeExample('models/note.yaml', 'name: Note\nfields:\n  - { name: text, type: text }\n', 'name: Note\nfields: »[]«\n'),
    ],
    valid: [
      fieldChangeExample(
        '{ name: a, type: text }\n  - { name: b, type: text }',
        '{ name: b, type: text }\n  - { name: a, type: text, label: A }',
      ),
      changeExample('models/note.yaml', 'name: Note\nfields: []\n', 'name: Note\nlabel: Notes\nfields: []\n'),
    ],
    compare(before, after, report) {
      for (const [was, is] of commonModels(before, after)) {
        const { source, value } = modelSource(after, is)
        for (const name of was.fields.keys()) {
          if (is.fields.has(name)) continue
          report(source, ['fields'], `The field '${name}' of ${is.name} was removed`, { breaking: true })
        }
        for (const field of is.fields.values()) {
          const { name } = field
          if (was.fields.has(name) || mustBeSent(field)) continue
          report(source, fieldPath(value, name), `The field '${name}' of ${is.name} was added`, { breaking: false })
        }
      }
    },
  },
  'contract/model': {
    severity: 'error',
    summary: 'A model was removed (breaking) or added',
    details: `Checked only with --against. The endpoints of a removed or renamed model answer 404, and its forms no longer exist. Keep
the model until no client uses it, or give the API a new version with api_version.`,
    invalid: [
      changeExample('models/note.yaml', 'name: Note\nfields: []\n', '»name«: Memo\nfields: []\n'),
      { before: { 'models/note.yaml': 'name: Note\nfields: []\n' }, files: { 'models/note.yaml': '»[«]\n' } },
    ],
    valid: [
      changeExample('models/note.yaml', 'name: Note\nfields: []\n', 'name: Note\nlabel: Notes\nfields: []\n'),
      changeExample('models/note.yaml', 'name: Note\nfields: []\n', 'name: Note\nfields:\n  - { name: text, type: text }\n'),
    ],
    compare(before, after, report) {
      for (const { model, definition } of before.models) {
        if (after.registry.get(model.key) !== undefined) continue
        report(formerSource(definition.source), [], `The model ${model.name} was removed; its endpoints answer 404`, {
          breaking: true,
        })
      }
      for (const { model, definition } of after.models) {
        if (before.registry.get(model.key) !== undefined) continue
        report(definition.source, ['name'], `The model ${model.name} was added`, { breaking: false })
      }
    },
  },
  'contract/required': {
    severity: 'error',
    summary: 'A field is newly required (breaking), or no longer',
    details: `Checked only with --against. Requests without the field used to be valid and are rejected. Give the field a default in the model, or
require it only in a form with a new name.`,
    invalid: [
      fieldChangeExample('{ name: text, type: string }', '»{ name: text, type: string, required: true }«'),
      changeExample(
        'models/note.yaml',
        'name: Note\nfields: []\n',
        'name: Note\nfields:\n  - »{ name: text, type: string, required: true }«\n',
      ),
      formChangeExample('fields:\n  - { name: body }\n', 'fields:\n  - »{ name: body, required: true }«\n'),
    ],
    valid: [
      fieldChangeExample('{ name: text, type: string }', '{ name: text, type: string, required: true, default: none }'),
      formChangeExample('fields:\n  - { name: title }\n', 'fields:\n  - { name: title, required: true }\n'),
    ],
    compare(before, after, report) {
      for (const [was, is] of commonModels(before, after)) {
        const { source, value } = modelSource(after, is)
        for (const field of is.fields.values()) {
          if (field.system || mustBeSent(field) === mustBeSent(was.fields.get(field.name))) continue
          const breaking = mustBeSent(field)
          const what = breaking
            ? was.fields.has(field.name)
              ? 'is newly required'
              : 'is new and required'
            : 'is no longer required'
          report(source, fieldPath(value, field.name), `The field '${field.name}' of ${is.name} ${what}`, { breaking })
        }
      }
      for (const { was, is, model } of commonForms(before, after)) {
        for (const [index, { name, required = false }] of is.view.fields.entries()) {
          const old = was.fields.find((each) => each.name === name)?.required ?? false
          // A field that the model requires without a default was mandatory before.
          if (old === required || mustBeSent(model.fields.get(name))) continue
          const what = required ? 'is newly required' : 'is no longer required'
          report(is.source, ['fields', index], `'${name}' ${what} in the form ${was.name}`, { breaking: required })
        }
      }
    },
  },
  'contract/rule': {
    severity: 'error',
    summary: 'A cross-field rule of a form was added (breaking) or removed',
    details: `Checked only with --against. A new rule rejects records that used to be valid. Rules are compared by their expression: another message,
field or white space does not count; a changed expression counts as one rule removed and one added.`,
    invalid: [
      formChangeExample(FIELDS, `${FIELDS}rules:\n  - »{ rule: self.title != "", field: title, message: No title }«\n`),
      formChangeExample(
        `${FIELDS}rules:\n  - { rule: size(self.title) > 3, field: title, message: Too short }\n`,
        `${FIELDS}rules:\n  - »{ rule: size(self.title) > 5, field: title, message: Too short }«\n`,
      ),
    ],
    valid: [
      formChangeExample(
        `${FIELDS}rules:\n  - { rule: self.title != "", field: title, message: No title }\n`,
        `${FIELDS}rules:\n  - { rule: self.title  !=  "", field: body, message: A title is missing }\n`,
      ),
      formChangeExample(`${FIELDS}rules:\n  - { rule: self.title != "", field: title, message: No title }\n`, FIELDS),
    ],
    compare(before, after, report) {
      for (const { was, is } of commonForms(before, after)) {
        const [old, now] = [conditionsOf(was), conditionsOf(is.view)]
        for (const [index, demand] of now.entries()) {
          if (old.includes(demand)) continue
          report(is.source, ['rules', index], `The form ${was.name} has a new rule: ${demand}`, { breaking: true })
        }
        for (const demand of old) {
          if (now.includes(demand)) continue
          report(is.source, ['name'], `The form ${was.name} no longer has the rule: ${demand}`, { breaking: false })
        }
      }
    },
  },
  'contract/type': {
    severity: 'error',
    summary: 'A field changed its type, or a relation its target model (breaking)',
    details: `Checked only with --against. Clients that read the field receive unexpected values, and what they send is rejected. Between
string and text nothing changes for clients. Add a field with another name instead, and remove the old one when no client uses it.`,
    invalid: [
      fieldChangeExample('{ name: size, type: string }', '»{ name: size, type: integer }«'),
      fieldChangeExample('{ name: by_id, type: foreignkey, model: user }', '»{ name: by_id, type: foreignkey, model: group }«'),
    ],
    valid: [
      fieldChangeExample('{ name: text, type: string }', '{ name: text, type: string, label: Text }'),
      fieldChangeExample(
        '{ name: by_id, type: foreignkey, model: user }',
        '{ name: by_id, type: foreignkey, model: user, on_delete: set_null }',
      ),
    ],
    compare(before, after, report) {
      for (const [was, is] of commonModels(before, after)) {
        const { source, value } = modelSource(after, is)
        for (const { name, type, relation } of is.fields.values()) {
          const old = was.fields.get(name)
          if (old === undefined) continue
          const say = (message: string, breaking: boolean) => report(source, fieldPath(value, name), message, { breaking })
          if (old.type.name !== type.name) {
            const isText = [old.type.name, type.name].every((each) => each === 'string' || each === 'text')
            say(`The field '${name}' of ${is.name} was of type ${old.type.name} and is of type ${type.name}`, !isText)
          } else if (old.relation?.target !== relation?.target) {
            say(`The field '${name}' of ${is.name} referred to ${old.relation?.target} and refers to ${relation?.target}`, true)
          }
        }
      }
    },
  },
  'contract/view': {
    severity: 'error',
    summary: 'A view was removed or renamed (breaking), or added',
    details: `Checked only with --against. The name of a form is the form_id in requests, which are rejected if it no longer exists. A removed view
counts as renamed if a view of the same kind, model and fields was added. Keep the old view beside the new one until no client uses it.`,
    invalid: [
      changeExample(
        'views/a.yaml',
        'name: EditPost\nview_type: form\nmodel: Post\nfields: [{ name: title }]\n',
        'name: »PostForm«\nview_type: form\nmodel: Post\nfields: [{ name: title }]\n',
      ),
      {
        before: { 'views/a.yaml': 'name: EditPost\nview_type: form\nmodel: Post\nfields: []\n' },
        files: { 'views/a.yaml': '»[«]\n' },
      },
      changeExample(
        'views/a.yaml',
        'name: Posts\nview_type: form\nmodel: Post\nfields: []\n',
        'name: Posts\nview_type: »list«\nmodel: Post\nfields: []\n',
      ),
    ],
    valid: [
      changeExample(
        'views/a.yaml',
        'name: Posts\nview_type: list\nmodel: Post\nfields: []\n',
        'name: Posts\nview_type: list\nmodel: Post\nfields: [{ name: title }]\n',
      ),
      {
        before: { 'views/a.yaml': 'name: Posts\nview_type: list\nmodel: Post\nfields: []\n', 'views/b.yaml': '[]\n' },
        files: { 'views/b.yaml': 'name: Posts\nview_type: list\nmodel: Post\nfields: []\n', 'views/a.yaml': '[]\n' },
      },
    ],
    compare(before, after, report) {
      const added = after.views.filter((is) => !before.views.some((was) => was.view.name === is.view.name))
      for (const was of before.views) {
        const { name, view_type, model } = was.view
        const is = after.views.find(({ view }) => view.name === name)
        if (is === undefined) {
          const renamed = added.find((each) => isLike(each, was))
          if (renamed !== undefined) added.splice(added.indexOf(renamed), 1)
          if (renamed === undefined) {
            report(formerSource(was.source), [], `The ${view_type} view ${name} was removed`, { breaking: true })
          } else {
            const what =
              view_type === 'form'
                ? 'requests with its former name as form_id are rejected'
                : 'front ends no longer find its former name'
            report(renamed.source, ['name'], `The ${view_type} view ${name} was renamed to ${renamed.view.name}: ${what}`, {
              breaking: true,
            })
          }
        } else if (is.view.view_type !== view_type) {
          report(is.source, ['view_type'], `The view ${name} was a ${view_type} and is a ${is.view.view_type}`, {
            breaking: true,
          })
        } else if (is.modelKey !== was.modelKey) {
          report(is.source, ['model'], `The view ${name} was of ${model} and is of ${is.view.model}`, { breaking: true })
        }
      }
      for (const { view, source } of added)
        report(source, ['name'], `The ${view.view_type} view ${view.name} was added`, { breaking: false })
    },
  },
} as const satisfies Readonly<Record<string, LintRule>>

const mustBeSent = (field: Field | undefined): boolean => field !== undefined && isNeeded(field) && !hasDefault(field)

/** The conditions of the rules; white space matters only within quotes. */
const conditionsOf = ({ rules = [] }: FormViewDefinition): string[] =>
  rules.map(({ rule }) => rule.trim().replace(QUOTED_OR_SPACES, (_, quoted?: string) => quoted ?? ' '))

const QUOTED_OR_SPACES = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\s+/g

function isLike(a: DefinedView, b: DefinedView): boolean {
  const fields = ({ view }: DefinedView) =>
    view.fields
      .map(({ name }) => name)
      .sort()
      .join()
  return a.modelKey === b.modelKey && a.view.view_type === b.view.view_type && fields(a) === fields(b)
}
