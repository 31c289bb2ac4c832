import type { Path } from '../../config/source.ts'
import { CHOICE_COLORS, FIELD_TYPE_NAMES } from '../../model/definition.ts'
import type { Model } from '../../model/model.ts'
import type { Registry } from '../../model/registry.ts'
import { sortTarget } from '../../query/sort.ts'
import { isObject } from '../../util/json.ts'
import { meantOrKnown, slip } from '../../util/suggest.ts'
import type { SortDefinition, ViewDefinition } from '../../views/definition.ts'
import { offeredChoices } from '../field-options.ts'
import { formExample, type LintRule, listExample, quoted } from '../rule.ts'

interface WrittenSort {
  readonly sort: readonly SortDefinition[]
  /** The model whose records are sorted. */
  readonly sorted: Model
  readonly path: Path
}

/** The orders that a view states: of a list, or of the rows of a form. */
function sortsOf(view: ViewDefinition, model: Model, registry: Registry): readonly WrittenSort[] {
  if (view.view_type === 'list') return [{ sort: view.sort ?? [], sorted: model, path: ['sort'] }]
  return (view.related ?? []).flatMap(({ field, sort = [] }, index) => {
    const sorted = registry.get(field.split('.')[0] ?? '')
    return sorted === undefined ? [] : [{ sort, sorted, path: ['related', index, 'sort'] }]
  })
}

/** Rules for fields of views: how they are displayed, sorted and filtered, and the conditions of forms. */
export const VIEW_FIELD_RULES = {
  'view/type-mismatch': {
    severity: 'error',
    summary: 'A view states another type of a field than the model',
    details: `A front end uses field_type to display and parse a value; with the wrong type it sends values that the model rejects. Use the type
of the model's field. Text types may also be called string or text, an integer number, the primary key integer. Names that begin
with x- are free for types of your own. \`--fix\` corrects typing errors.`,
    invalid: [
      formExample('fields:\n  - { name: rating, field_type: »string« }\n'),
      listExample('fields:\n  - { name: published_at, field_type: »date« }\n'),
      formExample('fields:\n  - { name: author_id, field_type: »foreign_key« }\n'),
      formExample('fields:\n  - { name: body, field_type: »markdown« }\n'),
    ],
    valid: [
      formExample(
        'fields:\n  - { name: id, field_type: integer }\n  - { name: title, field_type: text }\n  - { name: views, field_type: number }\n',
      ),
      listExample(
        'fields:\n  - { name: body, field_type: x-markdown }\n  - { name: author, field_type: foreignkey }\n  - { name: tags }\n',
      ),
    ],
    field({ field, modelField, model, source, path }, report) {
      const { field_type: given } = field
      const { name } = modelField.type
      if (given === undefined || given.startsWith('x-') || accepted(name).includes(given)) return
      const at = [...path, 'field_type']
      const meant = KNOWN_TYPES.includes(given) ? undefined : slip(given, KNOWN_TYPES)
      if (meant !== undefined && accepted(name).includes(meant)) {
        const fix = { kind: 'set', path: at, value: meant } as const
        report(source, at, `There is no field type '${given}'; did you mean '${meant}'?`, { fix })
      } else if (meant !== undefined || KNOWN_TYPES.includes(given)) {
        report(
          source,
          at,
          `'${field.name}' is ${withArticle(name)} in the model ${model.name}, not ${withArticle(meant ?? given)}; use field_type: ${name}`,
        )
      } else {
        report(source, at, `There is no field type '${given}'; use ${name}, or a name of your own that begins with x-`)
      }
    },
  },
  'view/widget-mismatch': {
    severity: 'warn',
    summary: 'A widget is unknown, or does not fit the type of its field',
    details: `A checkbox cannot edit a text, nor a number input a date: its value would be rejected. The message
names widgets that fit. Names that begin with x- are free for widgets of your own.`,
    invalid: [
      formExample('fields:\n  - { name: title, widget: »checkbox« }\n'),
      formExample('fields:\n  - { name: tags, widget: »select« }\n'),
      listExample('fields:\n  - { name: body, widget: »text-area« }\n'),
      formExample('fields:\n  - { name: body, widget: »wysiwyg« }\n'),
    ],
    valid: [
      formExample(
        'fields:\n  - { name: title, widget: text }\n  - { name: is_featured, widget: toggle }\n  - { name: status, widget: radio }\n',
      ),
      formExample('fields:\n  - { name: tags, widget: multiselect }\n  - { name: body, widget: x-rich-text }\n'),
    ],
    field({ field, modelField, source, path }, report) {
      const { widget } = field
      const type = modelField.type.name
      // Passwords have a rule of their own.
      if (widget === undefined || modelField.type.secret || widget.startsWith('x-')) return
      const known = Object.keys(WIDGETS)
      const at = [...path, 'widget']
      if (!known.includes(widget)) {
        const guess = meantOrKnown(widget, known)
        const own = guess.endsWith('?') ? ' Or write' : '; or write'
        report(source, at, `Unknown widget '${widget}'${guess}${own} x-${widget} for a widget of your own`)
      } else if (WIDGETS[widget]?.includes(type) === false) {
        const fitting = known.filter((each) => WIDGETS[each]?.includes(type) === true)
        report(source, at, `A ${widget} cannot edit '${field.name}', which is of type ${type}; use ${quoted(fitting, 'or')}`)
      }
    },
  },
  'view/choice-display': {
    severity: 'warn',
    summary: 'A label or colour is for a value that the field cannot have, or a colour is unknown',
    details: `options.labels and options.colors name a text and a colour for values of the field. Such an entry has no effect if the value is not
one of the choices. The colours are ${CHOICE_COLORS.join(', ')}.`,
    invalid: [
      formExample('fields:\n  - { name: status, options: { labels: { draft: Draft, publishd: »Live« } } }\n'),
      listExample('fields:\n  - { name: status, options: { colors: { draft: »grey« } } }\n'),
      formExample('fields:\n  - { name: status, options: { labels: »[Draft, Live]« } }\n'),
    ],
    valid: [
      formExample(
        'fields:\n  - { name: status, options: { labels: { draft: Draft }, colors: { draft: gray, published: green } } }\n',
      ),
      listExample('fields:\n  - { name: is_featured, options: { labels: { true: Featured, false: "" } } }\n'),
    ],
    field({ field, modelField, source, path }, report) {
      const known = (modelField.limits.choices ?? offeredChoices(field.options))?.map(String)
      for (const key of ['labels', 'colors'] as const) {
        const map = field.options?.[key]
        if (map === undefined) continue
        const at = [...path, 'options', key]
        if (!isObject(map)) {
          report(source, at, `'${key}' must be an object by value, such as { draft: ${key === 'labels' ? 'Draft' : 'gray'} }`)
          continue
        }
        for (const [value, text] of Object.entries(map)) {
          const problem =
            known?.includes(value) === false
              ? `'${field.name}' is never '${value}'${meantOrKnown(value, known)}`
              : textProblem(key, value, text)
          if (problem !== undefined) report(source, [...at, value], problem)
        }
      }
    },
  },
  'view/relation-display': {
    severity: 'warn',
    summary: 'A view displays a relation to a model without a display field',
    details: `Where a record is referred to, people see the display_field of its model. A record of a model without one, and without a field named like a
name or title, is displayed by its id. Set display_field in that model.`,
    invalid: [
      {
        files: {
          'models/place.yaml':
            '- name: Place\n  fields:\n    - { name: latitude, type: number }\n- name: Visit\n  fields:\n    - { name: place_id, type: foreignkey, model: place }\n',
          'views/visit.yaml': 'name: VisitForm\nview_type: form\nmodel: Visit\nfields:\n  - { name: »place_id« }\n',
        },
      },
      {
        files: {
          'models/place.yaml':
            '- name: Place\n  fields:\n    - { name: latitude, type: number }\n- name: Trip\n  fields:\n    - { name: places, type: many_to_many, model: place }\n',
          'views/trip.yaml': 'name: TripList\nview_type: list\nmodel: Trip\nfields:\n  - name: »places«\n',
        },
      },
    ],
    valid: [
      listExample('fields:\n  - { name: author_id }\n  - { name: tags }\n'),
      {
        files: {
          'models/place.yaml':
            '- name: Place\n  display_field: code\n  fields:\n    - { name: code, type: integer }\n- name: Visit\n  fields:\n    - { name: place_id, type: foreignkey, model: place }\n',
          'views/visit.yaml': 'name: VisitForm\nview_type: form\nmodel: Visit\nfields:\n  - { name: place_id }\n',
        },
      },
    ],
    field({ project, field, modelField, source, path }, report) {
      const target = project.registry.get(modelField.relation?.target ?? '')
      if (target === undefined || target.displayField !== 'id') return
      const what = `'${field.name}' displays records of ${target.name} by id only`
      report(source, [...path, 'name'], `${what}; set display_field in the model ${target.name}`)
    },
  },
  'view/filter-unusable': {
    severity: 'error',
    summary: 'A list offers a filter by a field that cannot be filtered by',
    details: `The fields in filters are offered first when a filter is added. Passwords have no operators, so the API rejects filters by them.`,
    invalid: [
      {
        files: {
          'models/door.yaml': 'name: Door\nfields:\n  - { name: name, type: string }\n  - { name: pin, type: password }\n',
          'views/door.yaml': 'name: DoorList\nview_type: list\nmodel: Door\nfields: [{ name: name }]\nfilters: [name, »pin«]\n',
        },
      },
      {
        files: {
          'models/user.yaml': 'extends: user\nfields: [{ name: nick, type: string }]\n',
          'views/user.yaml': 'name: UserList\nview_type: list\nmodel: User\nfields: [{ name: nick }]\nfilters: [»password«]\n',
        },
      },
    ],
    valid: [
      listExample('fields: [{ name: title }]\nfilters: [status, published_at, author_id]\n'),
      listExample('fields: [{ name: title }]\nfilters: [tags, is_featured]\n'),
    ],
    view({ view, source, fieldOf }, report) {
      const filters = view.view_type === 'list' ? (view.filters ?? []) : []
      for (const [index, name] of filters.entries()) {
        const type = fieldOf(name)?.type
        if (type === undefined || (!type.secret && type.operators.length > 0)) continue
        report(source, ['filters', index], `A ${type.name} field such as '${name}' cannot be filtered by; remove it`)
      }
    },
  },
  'view/sort-unsortable': {
    severity: 'error',
    summary: 'A list, or a table of rows, is sorted by a field that the API cannot sort by',
    details: `The sort of a list is sent to the API as sort_by, which rejects unknown fields, lists such as many_to_many and multichoice, and json.
A field of the record that a foreign key refers to is written author.username. A field may be named once.`,
    invalid: [
      listExample('fields: [{ name: title }]\nsort: [{ field: »titel« }]\n'),
      listExample('fields: [{ name: title }]\nsort: [{ field: title }, { field: »tags«, order: desc }]\n'),
      listExample('fields: [{ name: title }]\nsort: [{ field: »author.name« }]\n'),
      listExample('fields: [{ name: title }]\nsort: [{ field: views }, { field: »views« }]\n'),
      {
        files: {
          'views/user.yaml':
            'name: UserForm\nview_type: form\nmodel: User\nfields: []\nrelated: [{ field: post.author_id, columns: [title], sort: [{ field: »tags« }] }]\n',
        },
      },
    ],
    valid: [
      listExample('fields: [{ name: title }]\nsort: [{ field: views, order: desc }, { field: author.username }]\n'),
      listExample('fields: [{ name: title }]\n'),
    ],
    view({ project, view, model, source }, report) {
      for (const { sort, sorted, path } of sortsOf(view, model, project.registry)) {
        for (const [index, { field }] of sort.entries()) {
          // A key without a field is a fault of the shape of the view.
          if (typeof field !== 'string') continue
          const at = [...path, index, 'field']
          const target = sortTarget(field, sorted, project.registry)
          if (typeof target === 'function') report(source, at, target())
          else if (sort.findIndex((each) => each.field === field) < index)
            report(source, at, `'${field}' is named twice; remove one`)
        }
      }
    },
  },
  'view/rule-invalid': {
    severity: 'error',
    summary:
      'A cross-field rule or visible_when is invalid, names an unknown field, is not a condition, or compares values that never match',
    details: `A rule is a CEL expression over the merged record as self, as in Kubernetes. A rule with a syntax error or an unknown field
prevents the project from being served. A rule that compares values of different types (a text with a number), or a
choice with a value that is not one of its choices, is always true or always false: it rejects every record, or none. So does a
rule without self. A rule that is no condition, such as self.title alone, rejects every record.

The condition visible_when of a field is checked alike: a field whose condition never holds is never displayed.

Compare null with == and !=. A date, time or datetime is text in ISO 8601; timestamp(self.published_at) converts it to a timestamp.`,
    invalid: [
      formExample('fields: [{ name: title, visible_when: »self.titel != null« }]\n'),
      formExample(`fields: [{ name: title, visible_when: »'self.status == "publishd"'« }]\n`),
      formExample('fields: [{ name: title }]\nrules:\n  - { rule: »self.title ==«, field: title, message: No }\n'),
      formExample('fields: [{ name: title }]\nrules:\n  - { rule: »self.titel != null«, field: title, message: No }\n'),
      formExample("fields: [{ name: title }]\nrules:\n  - rule: »self.views > 'many'«\n    field: title\n    message: No\n"),
      formExample(
        `fields: [{ name: status }]\nrules:\n  - { rule: »'self.status != "publishd"'«, field: status, message: No }\n`,
      ),
      formExample('fields: [{ name: title }]\nrules:\n  - { rule: »self.title«, field: title, message: No }\n'),
      formExample("fields: [{ name: title }]\nrules:\n  - { rule: »'1 > 2'«, field: title, message: No }\n"),
    ],
    valid: [
      formExample(`fields: [{ name: title }, { name: published_at, visible_when: 'self.status == "published"' }]\n`),
      formExample(
        `fields: [{ name: status }]\nrules:\n  - { rule: 'self.published_at == null || self.status == "published"', field: status, message: No }\n`,
      ),
      formExample(
        'fields: [{ name: rating }]\nrules:\n  - { rule: self.rating == null || self.rating > 1, field: rating, message: No }\n',
      ),
    ],
    view({ project, form, model, source }, report) {
      for (const [index, { rule }] of (form?.rules ?? []).entries()) {
        for (const problem of project.ruleProblems(rule, model)) report(source, ['rules', index, 'rule'], problem)
      }
      for (const [index, { visible_when: when }] of (form?.fields ?? []).entries()) {
        if (when === undefined) continue
        for (const problem of project.ruleProblems(when, model)) report(source, ['fields', index, 'visible_when'], problem)
      }
    },
  },
} as const satisfies Readonly<Record<string, LintRule>>

const KNOWN_TYPES: readonly string[] = [...FIELD_TYPE_NAMES, 'primarykey']

/** Other names that views may use for a type. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  string: ['text'],
  text: ['string'],
  email: ['string', 'text'],
  url: ['string', 'text'],
  slug: ['string', 'text'],
  choice: ['string', 'text'],
  integer: ['number'],
  decimal: ['number', 'string'],
  primarykey: ['integer', 'number'],
  foreignkey: ['one_to_one'],
  one_to_one: ['foreignkey'],
}

const accepted = (name: string): readonly string[] => [name, ...(SYNONYMS[name] ?? [])]

const withArticle = (type: string): string => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`

const SINGLE_LINE = [
  'string',
  'text',
  'email',
  'url',
  'slug',
  'choice',
  'integer',
  'number',
  'decimal',
  'date',
  'time',
  'datetime',
  'uuid',
  'primarykey',
]
const SINGLE_CHOICE = ['choice', 'string', 'slug', 'integer', 'number', 'decimal', 'boolean', 'foreignkey', 'one_to_one']
const MULTIPLE_CHOICE = ['multichoice', 'many_to_many']
const NUMBERS = ['integer', 'number', 'decimal', 'primarykey']

/** Field types that common widgets can edit. */
const WIDGETS: Readonly<Record<string, readonly string[]>> = {
  text: SINGLE_LINE,
  textarea: ['text', 'string', 'json'],
  markdown: ['text'],
  email: ['email', 'string'],
  url: ['url', 'string'],
  color: ['string'],
  number: NUMBERS,
  range: NUMBERS,
  checkbox: ['boolean'],
  switch: ['boolean'],
  toggle: ['boolean'],
  select: SINGLE_CHOICE,
  radio: SINGLE_CHOICE,
  multiselect: MULTIPLE_CHOICE,
  checkboxes: MULTIPLE_CHOICE,
  tags: [...MULTIPLE_CHOICE, 'json'],
  date: ['date'],
  time: ['time'],
  datetime: ['datetime'],
  relation: ['foreignkey', 'one_to_one', 'many_to_many'],
  autocomplete: ['foreignkey', 'one_to_one', 'many_to_many', 'string', 'choice'],
  json: ['json'],
  file: ['file', 'image'],
  image: ['image'],
  password: ['password'],
}

function textProblem(key: 'labels' | 'colors', value: string, text: unknown): string | undefined {
  if (typeof text !== 'string') return `The ${key === 'labels' ? 'label' : 'colour'} of '${value}' must be a text`
  const isKnown = key === 'labels' || CHOICE_COLORS.some((color) => color === text)
  return isKnown ? undefined : `Unknown colour '${text}'${meantOrKnown(text, CHOICE_COLORS)}`
}
