import { FIELD_TYPE_NAMES } from '../../../model/definition.ts'
import { slip } from '../../../util/suggest.ts'
import { formExample, type LintRule, listExample } from '../../rule.ts'

/** Field types of a view that differ from the model's. */
export const viewTypeMismatch: LintRule = {
  id: 'view/type-mismatch',
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
}

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
