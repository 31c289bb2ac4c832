import { meantOrKnown } from '../../../util/suggest.ts'
import { formExample, type LintRule, listExample, quoted } from '../../rule.ts'

/** Widgets that cannot edit the field's type. */
export const viewWidgetMismatch: LintRule = {
  id: 'view/widget-mismatch',
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
}

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
  password: ['password'],
}
