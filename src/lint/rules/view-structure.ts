import type { Path } from '../../config/source.ts'
import type { Field } from '../../model/field.ts'
import type { Model } from '../../model/model.ts'
import { meantOrKnown } from '../../util/suggest.ts'
import { generatedTitle } from '../../views/generate.ts'
import type { DefinedForm } from '../../views/views.ts'
import type { LintProject } from '../project.ts'
import { ALLOW_LISTS, type Example, formExample, type LintRule, listExample } from '../rule.ts'

const withForm = (inlineForm: string): Example => ({
  files: {
    'views/list.yaml': `name: PostList\nview_type: list\nmodel: Post\nfields: [{ name: title }]\ninline_form: ${inlineForm}\n`,
    'views/form.yaml': 'name: PostForm\nview_type: form\nmodel: Post\nfields: [{ name: title }]\n',
    'views/tag.yaml': 'name: TagForm\nview_type: form\nmodel: Tag\nfields: [{ name: name }]\n',
  },
})

/** A list of Post with a layout, whose inline_form accepts some fields. */
const layoutExample = (accepted: string, layout: string): Example => ({
  files: {
    'views/list.yaml': `name: PostList\nview_type: list\nmodel: Post\nfields: []\ninline_form: PostForm\nlayout: ${layout}\n`,
    'views/form.yaml': `name: PostForm\nview_type: form\nmodel: Post\nfields: [{ name: title }, { name: status }, { name: published_at }]\nallowed_update_fields: ${accepted}\n`,
  },
})

/** True for a field of whose values each can have a column: choices, or related records. */
const makesColumns = ({ type, limits, relation }: Field): boolean =>
  (limits.choices !== undefined && !type.list) || type.name === 'choice' || (relation !== undefined && type.name === 'foreignkey')

const isDay = ({ type }: Field): boolean => type.name === 'date' || type.name === 'datetime'

/** Says why a name is not that of a form of a model; undefined if it is. */
function otherForm(project: LintProject, name: string, model: Model): string | undefined {
  const forms = project.views.filter(({ view }) => view.view_type === 'form')
  const meant = forms.find(({ view }) => view.name === name)
  if (meant?.modelKey === model.key) return undefined
  const own = forms.filter(({ modelKey }) => modelKey === model.key).map(({ view }) => view.name)
  if (meant === undefined) return `There is no form '${name}' of the model ${model.name}${meantOrKnown(name, own)}`
  return `'${name}' is a form of the model ${meant.view.model}, and these records are of ${model.name}${meantOrKnown(name, own)}`
}

/** A form with a table of rows, beside forms of Post and Tag. */
const related = (rows: string, model: string): Example => ({
  files: {
    'views/form.yaml': `name: Form\nview_type: form\nmodel: ${model}\nfields: []\nrelated: [{ ${rows} }]\n`,
    'views/post.yaml': 'name: PostForm\nview_type: form\nmodel: Post\nfields: [{ name: title }]\n',
    'views/tag.yaml': 'name: TagForm\nview_type: form\nmodel: Tag\nfields: [{ name: name }]\n',
  },
})

const forms = (...uses: readonly string[]): Example => ({
  files: {
    'views/post.yaml': uses
      .map((use, index) => `- { name: Form${index}, view_type: form, model: Post, fields: [{ name: title }]${use} }\n`)
      .join(''),
  },
})

const viewOfPost = (kind: 'form' | 'list'): string =>
  `name: Post${kind === 'form' ? 'Form' : 'List'}\nview_type: ${kind}\nmodel: Post\nfields: []\n`

/** A project whose model Post has a view of this kind only. */
const projectExample = (models: string, kind?: 'form' | 'list'): Example => ({
  files: { 'models/example.yaml': models, ...(kind === undefined ? {} : { 'views/post.yaml': viewOfPost(kind) }) },
})

/**
 * The parts that the rules about models without a form or without a list share.
 *
 * @param kind the kind of view that is missing
 */
const missingView = (kind: 'form' | 'list'): Pick<LintRule, 'severity' | 'summary' | 'invalid' | 'valid' | 'model'> => ({
  severity: 'warn',
  summary: `A model has no ${kind} view`,
  invalid: [
    projectExample('name: »Post«\nfields:\n  - { name: title, type: string }\n', kind === 'form' ? 'list' : 'form'),
    projectExample('- name: Post\n  fields: []\n- name: »Tag«\n  fields: []\n', kind),
  ],
  valid: [projectExample('name: Post\nfields: []\n', kind), projectExample('name: Post\nfields: []\n')],
  model({ project: { intendedViews }, model, source }, report) {
    if (intendedViews.length === 0) return
    // A faulty view may be the missing one.
    const has = intendedViews.some((each) => (each.model ?? model.name) === model.name && (each.kind ?? kind) === kind)
    if (!has) report(source, ['name'], `The model ${model.name} has no ${kind} view; add one, or disable this rule for it`)
  },
})

/** Rules for the structure of views: their models, names, fields and the operations that they leave out. */
export const VIEW_STRUCTURE_RULES = {
  'view/invalid': {
    severity: 'error',
    summary: 'A view is malformed',
    details: `A view has a name, a view_type (form or list), the class name of its model, and a list of fields. A form may have creation_fields,
allowed_update_fields and rules, a list may not. The options of a form's field that are validated (choices, min_length,
max_length, gt, gte, lt, lte, pattern) are written as in a model.

The message names the key or value; for an unknown key it suggests a similar one.`,
    invalid: [
      formExample('fields:\n  - { name: title, »widgit«: text }\n'),
      listExample('fields: [{ name: title }]\n»creation_fields«: [title]\n'),
      formExample('fields:\n  - { name: title, options: »{ max_length: long }« }\n'),
    ],
    valid: [
      formExample('fields:\n  - { name: title, widget: text }\ncreation_fields: [title]\n'),
      listExample('fields: [{ name: title }]\n'),
    ],
  },
  'view/unknown-model': {
    severity: 'error',
    summary: 'A view names an unknown model',
    details: `A view names its model by the class name, such as Post, with the same case as in the model's file. Use the suggested
name, or add the model.`,
    invalid: [
      { files: { 'views/a.yaml': 'name: PostForm\nview_type: form\nmodel: »Psot«\nfields: []\n' } },
      { files: { 'views/a.json': '{ "name": "PostList", "view_type": "list", "model": »"post"«, "fields": [] }\n' } },
    ],
    valid: [
      { files: { 'views/a.yaml': 'name: PostForm\nview_type: form\nmodel: Post\nfields: []\n' } },
      { files: { 'views/a.yaml': 'name: UserList\nview_type: list\nmodel: User\nfields: []\n' } },
    ],
  },
  'view/unknown-field': {
    severity: 'error',
    summary: 'A view names a field that its model does not have',
    details: `The fields of a view, and the field at which a cross-field rule shows its message, are fields of the model; a list may also name a
relation (author for author_id). The filters of a list and what its layout names are fields, too. Use the suggested name, or add the field to the model.`,
    invalid: [
      formExample('fields:\n  - { name: »titel« }\n'),
      formExample('fields: [{ name: title }]\nrules:\n  - { rule: self.title != "x", field: »tittle«, message: No }\n'),
      formExample('fields:\n  - { name: »author« }\n'),
      listExample('fields: [{ name: title }]\nfilters: [status, »stauts«]\n'),
      listExample('fields: [{ name: title }]\nlayout: { board: »stauts«, calendar: { start: »published«, title: title } }\n'),
    ],
    valid: [
      formExample('fields:\n  - { name: title }\n'),
      listExample('fields:\n  - { name: author }\n  - { name: author_id }\n'),
    ],
  },
  'view/duplicate-name': {
    severity: 'error',
    summary: 'Two views have the same name',
    details: `The name of a form is its form_id, which requests use for every model, so view names are unique in a project.`,
    invalid: [
      {
        files: {
          'views/a.yaml': 'name: Edit\nview_type: form\nmodel: Post\nfields: []\n',
          'views/b.yaml': 'name: »Edit«\nview_type: form\nmodel: Tag\nfields: []\n',
        },
      },
      {
        files: {
          'views/a.yaml':
            '- { name: Posts, view_type: list, model: Post, fields: [] }\n- { name: »Posts«, view_type: form, model: Post, fields: [] }\n',
        },
      },
    ],
    valid: [
      {
        files: {
          'views/a.yaml': 'name: EditPost\nview_type: form\nmodel: Post\nfields: []\n',
          'views/b.yaml': 'name: EditTag\nview_type: form\nmodel: Tag\nfields: []\n',
        },
      },
      { files: { 'views/a.yaml': 'name: Edit\nview_type: form\nmodel: Post\nfields: []\n' } },
    ],
  },
  'view/duplicate-field': {
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
  },
  'view/fields-reference': {
    severity: 'error',
    summary: "An allow-list or a group names a field that is not among the view's fields",
    details: `The fields that creation_fields and allowed_update_fields accept must be fields of the form; otherwise people cannot fill them in. Add the
field to the form, or remove the name from the list. The same applies to the fields of groups.`,
    invalid: [
      formExample('fields: [{ name: title }]\ncreation_fields: »[title, body]«\n'),
      formExample('fields: [{ name: title }]\nallowed_update_fields:\n  »- title\n  - status«\n'),
      formExample('fields: [{ name: title }]\ngroups: [{ title: Text, fields: [title, »body«] }]\n'),
    ],
    valid: [
      formExample('fields: [{ name: title }, { name: body }]\ncreation_fields: [title, body]\n'),
      formExample('fields: [{ name: title }]\nallowed_update_fields: []\n'),
    ],
  },
  'view/missing-title': {
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
  },
  'view/no-form': {
    ...missingView('form'),
    details: `In a project with views, front ends display what the views describe: a model without a form cannot be edited there. Add a form. For a model that
people do not edit (a log, a link table), set "view/no-form: off" under lint.rules, or add a comment above its name. A project without any views is not checked.`,
  },
  'view/no-list': {
    ...missingView('list'),
    details: `In a project with views, front ends display what the views describe: a model without a list cannot be listed there. Add a list. For a model that
people do not browse (a log, a link table), set "view/no-list: off" under lint.rules, or add a comment above its name. A project without any views is not checked.`,
  },
  'view/inline-form': {
    severity: 'error',
    summary: 'The inline_form of a list does not name a form of its model',
    details: `Cells of a list are edited through inline_form: a change is sent with this name as form_id. The API rejects an unknown form and one of
another model. Without inline_form, cells cannot be edited.`,
    invalid: [
      listExample('fields: [{ name: title }]\ninline_form: »PostForm«\n'),
      withForm('»PostFrom«'),
      withForm('»TagForm«'),
      withForm('»PostList«'),
    ],
    valid: [withForm('PostForm'), listExample('fields: [{ name: title }]\n')],
    view({ project, view, model, source }, report) {
      if (view.view_type !== 'list' || view.inline_form === undefined) return
      const name = view.inline_form
      const message = otherForm(project, name, model)
      if (message !== undefined) report(source, ['inline_form'], message)
    },
  },
  'view/related-field': {
    severity: 'error',
    summary: 'The related rows of a form have no foreign key to its model',
    details: `A form edits records of another model that refer to its own, such as the lines of an invoice. The field of related names this relation as
<model>.<field>, with the name of the model in lower case: a foreignkey or one_to_one to the model of the form. Each relation has one table.`,
    invalid: [
      related('field: »post.tags«, columns: [title]', 'Tag'),
      related('field: »post«, columns: [title]', 'Tag'),
      related('field: »post.author_id«, columns: [title]', 'Tag'),
      related('field: post.author_id, columns: [title] }, { field: »post.author_id«, columns: [title]', 'User'),
    ],
    valid: [
      related('field: post.author_id, columns: [title]', 'User'),
      related('field: post.author_id, columns: [title, views], sort: [{ field: title }], limit: 50', 'User'),
    ],
  },
  'view/related-form': {
    severity: 'error',
    summary: 'The related rows of a form name a form that is not of their model',
    details: `The rows of related are written under form, so it must be a form of their model; the API rejects another one. Without it, rows are written
under the form that opens for the model.`,
    invalid: [
      related('field: post.author_id, columns: [title], form: »PostFrom«', 'User'),
      related('field: post.author_id, columns: [title], form: »TagForm«', 'User'),
    ],
    valid: [
      related('field: post.author_id, columns: [title], form: PostForm', 'User'),
      related('field: post.author_id, columns: [title]', 'User'),
    ],
    view({ project, form, source }, report) {
      for (const [index, { field, form: name }] of (form?.related ?? []).entries()) {
        const model = project.registry.get(field.split('.')[0] ?? '')
        if (name === undefined || model === undefined) continue
        const message = otherForm(project, name, model)
        if (message !== undefined) report(source, ['related', index, 'form'], message)
      }
    },
  },
  'view/layout-field': {
    severity: 'error',
    summary: 'The layout of a list names a field that cannot place its records',
    details: `A board has a column for each value of a field with choices, or of a relation to one record (foreignkey). A calendar places records by
fields of the type date or datetime; start and end are of the same type, and not the same field.`,
    invalid: [
      listExample('fields: [{ name: title }]\nlayout: { board: »title« }\n'),
      listExample('fields: [{ name: title }]\nlayout: { calendar: { start: »status« } }\n'),
      listExample('fields: [{ name: title }]\nlayout: { calendar: { start: published_at, end: »title« } }\n'),
      listExample('fields: [{ name: title }]\nlayout: { calendar: { start: published_at, end: »published_at« } }\n'),
    ],
    valid: [
      listExample('fields: [{ name: title }]\nlayout: { board: status }\n'),
      listExample('fields: [{ name: title }]\nlayout: { board: author_id, calendar: { start: published_at } }\n'),
      listExample('fields: [{ name: title }]\nlayout: { calendar: { start: published_at, title: title } }\n'),
    ],
    view({ view, fieldOf, source }, report) {
      if (view.view_type !== 'list') return
      const { board, calendar } = view.layout ?? {}
      const columns = board === undefined ? undefined : fieldOf(board)
      if (columns !== undefined && !makesColumns(columns)) {
        const message = `A board has no columns by '${columns.name}' (${columns.type.name}); name a field with choices or a foreignkey`
        report(source, ['layout', 'board'], message)
      }
      const start = calendar === undefined ? undefined : fieldOf(calendar.start)
      if (start !== undefined && !isDay(start)) {
        const message = `A calendar cannot begin records at '${start.name}' (${start.type.name}); name a date or datetime`
        report(source, ['layout', 'calendar', 'start'], message)
      }
      const end = calendar?.end === undefined ? undefined : fieldOf(calendar.end)
      if (start === undefined || end === undefined || !isDay(start)) return
      const path = ['layout', 'calendar', 'end']
      if (start === end) report(source, path, `The records end at '${end.name}', where they begin; name another field, or none`)
      else if (start.type !== end.type)
        report(
          source,
          path,
          `'${end.name}' is a ${end.type.name}, and '${start.name}' a ${start.type.name}; name a ${start.type.name}`,
        )
    },
  },
  'view/layout-fixed': {
    severity: 'note',
    summary: 'The records of a board or calendar cannot be moved',
    details: `Records are moved through inline_form, which has to accept the field of the columns, or the start and the end, in an update. Without it the
board or calendar is for reading. If this is meant, add a directive that disables this rule.`,
    invalid: [
      listExample('fields: [{ name: title }]\nlayout: { board: »status« }\n'),
      layoutExample('[title]', '{ board: »status« }'),
      layoutExample('[title]', '{ calendar: { start: »published_at« } }'),
    ],
    valid: [
      layoutExample('[status]', '{ board: status }'),
      layoutExample('[published_at]', '{ calendar: { start: published_at } }'),
    ],
    view({ project, view, model, source }, report) {
      if (view.view_type !== 'list') return
      const { board, calendar } = view.layout ?? {}
      const forms = project.views.filter(({ modelKey }) => modelKey === model.key)
      const form = forms.find(({ view: each }) => each.name === view.inline_form)?.view
      // An unknown form is reported by another rule.
      if (view.inline_form !== undefined && form?.view_type !== 'form') return
      const accepted = form?.view_type === 'form' ? (form.allowed_update_fields ?? form.creation_fields) : []
      const isAccepted = (name: string) =>
        form?.view_type === 'form' && form.fields.some((each) => each.name === name) && accepted?.includes(name) !== false
      const fixed: (readonly [Path, string | undefined])[] = [
        [['layout', 'board'], board],
        [['layout', 'calendar', 'start'], calendar?.start],
        [['layout', 'calendar', 'end'], calendar?.end],
      ]
      for (const [path, name] of fixed) {
        if (name === undefined || !model.fields.has(name) || isAccepted(name)) continue
        const message =
          form === undefined
            ? `Records cannot be moved, since the list has no inline_form; name a form that accepts '${name}' in an update`
            : `Records cannot be moved, since ${form.name} does not accept '${name}' in an update; add it there`
        report(source, path, message)
        return
      }
    },
  },
  'view/use-incomplete': {
    severity: 'warn',
    summary: 'The use of its forms leaves a model without a form to create or to update with',
    details: `A form with use opens for these operations only. If all forms of a model have use and none names create, a front end has no form
to create a record with, nor to update one if none names update. Add the operation to a form, or a form without use. A model that is
not created (or not updated) in a front end needs a directive that disables this rule.`,
    invalid: [forms(', use: »[update]«'), forms(', use: »[create]«'), forms(', use: »[create]«', ', use: [create]')],
    valid: [
      forms(''),
      forms(', use: [create, update]'),
      forms(', use: [create]', ', use: [update]'),
      forms(', use: [create]', ''),
    ],
    view({ project, form, model, source }, report) {
      if (form?.use === undefined) return
      const all = project.views.filter(
        (each): each is DefinedForm => each.modelKey === model.key && each.view.view_type === 'form',
      )
      // Once a model, at its first form with `use`.
      if (all.find(({ view }) => view.use !== undefined)?.view !== form) return
      for (const operation of ['create', 'update'] as const) {
        if (all.some(({ view: { use } }) => use?.includes(operation) ?? true)) continue
        const verb = operation === 'create' ? 'creates' : 'updates'
        report(
          source,
          ['use'],
          `No form of ${model.name} ${verb} records; add ${operation} to the use of a form, or a form without use`,
        )
      }
    },
  },
} as const satisfies Readonly<Record<string, LintRule>>
