import { readFileSync } from 'node:fs'
import { AppError } from '../../errors.ts'
import type { DefinedModel } from '../../model/build.ts'
import { ownFile } from '../../util/files.ts'
import { isObject } from '../../util/json.ts'
import { didYouMean } from '../../util/suggest.ts'
import { fieldPath } from '../field-options.ts'
import type { LintProject } from '../project.ts'
import { type LintRule, modelExample } from '../rule.ts'

const NOTE = (access: string): string =>
  `name: Note\nfields:\n  - { name: title, type: string }\n  - { name: tags, type: many_to_many, model: tag }\n  - { name: author_id, type: foreignkey, model: user }\naccess:\n  ${access}\n`

/** Written by `npm run build`: the names of all icons of Lucide (lucide.dev), aliases included. */
export const ICON_NAMES_FILE = ownFile('dist/icon-names.json')

/** Read for the first icon. */
let iconNames: ReadonlySet<string> | undefined

/** @throws {AppError} TASK_FAILED in a checkout without a build */
function readIconNames(): ReadonlySet<string> {
  try {
    return new Set(JSON.parse(readFileSync(ICON_NAMES_FILE, 'utf8')) as string[])
  } catch (cause) {
    const remedy = 'run `npm run build` in the checkout, or install the package again'
    throw new AppError('TASK_FAILED', `The names of icons cannot be read from ${ICON_NAMES_FILE}; ${remedy}`, { cause })
  }
}

/** Rules for models. */
export const MODEL_RULES = {
  'model/access-invalid': {
    severity: 'error',
    summary: 'A condition of access is invalid, or cannot be a filter',
    details: `Conditions of access are compiled to filters, so that lists and totals stay fast. They compare fields of self, or of a record
that it refers to, with values: constants, or what user has. They may use in, startsWith, endsWith, &&, || and !.`,
    invalid: [
      modelExample(NOTE('view: »self.athor_id == user.id«')),
      modelExample(NOTE('change: »editors«')),
      modelExample(NOTE('view: »size(self.title) > 3«')),
      modelExample(NOTE('view: »self.title == self.author.username«')),
      modelExample(NOTE('view: »self.author_id == "me"«')),
    ],
    valid: [
      modelExample(NOTE('{ view: public, add: authenticated, change: self.author_id == user.id, delete: { group: editors } }')),
      modelExample(NOTE('view: user.id in self.tags || self.author.is_active && !self.title.startsWith("_")')),
    ],
  },
  'model/default-invalid': {
    severity: 'error',
    summary: 'The default of a field is not a valid value of the field',
    details: `A default is stored when a request omits the field, so it must be a value that a request could send: of the field's type, within its
limits, one of its choices.`,
    invalid: [
      modelExample('name: Note\nfields:\n  - { name: size, type: choice, choices: [s, m], default: »l« }\n'),
      modelExample('name: Note\nfields:\n  - { name: stars, type: integer, default: »"3"« }\n'),
    ],
    valid: [
      modelExample('name: Note\nfields:\n  - { name: size, type: choice, choices: [s, m], default: m }\n'),
      modelExample('name: Note\nfields:\n  - { name: stars, type: integer, default: 3 }\n'),
    ],
  },
  'model/delete-cycle': {
    severity: 'warn',
    summary: 'Deleting a record can delete records of all models in a cycle',
    details: `With on_delete: cascade a record is deleted with the record that it refers to. If such relations form a cycle over several models,
deleting one record can delete everything connected to it.

Use restrict (the default) or set_null for one relation of the cycle. A relation to the model itself, as in a tree, is allowed: a node is
deleted with its descendants.`,
    invalid: [
      modelExample(
        '- name: Team\n  fields:\n    - { name: lead_id, type: foreignkey, model: member, on_delete: »cascade« }\n' +
          '- name: Member\n  fields:\n    - { name: team_id, type: foreignkey, model: team, on_delete: cascade }\n',
      ),
      modelExample(
        '- name: A\n  fields:\n    - name: b_id\n      type: foreignkey\n      model: b\n      on_delete: »cascade«\n' +
          '- name: B\n  fields:\n    - { name: c_id, type: one_to_one, model: c, on_delete: cascade }\n' +
          '- name: C\n  fields:\n    - { name: a_id, type: foreignkey, model: a, on_delete: cascade }\n',
      ),
    ],
    valid: [
      modelExample(
        '- name: Team\n  fields:\n    - { name: lead_id, type: foreignkey, model: member, on_delete: set_null }\n' +
          '- name: Member\n  fields:\n    - { name: team_id, type: foreignkey, model: team, on_delete: cascade }\n',
      ),
      modelExample('name: Page\nfields:\n  - { name: parent_id, type: foreignkey, model: page, on_delete: cascade }\n'),
    ],
    project(project, report) {
      const reported = new Set<string>()
      for (const { model, definition } of project.models) {
        if (reported.has(model.key)) continue
        const cycle = shortestCycle(project, model.key)
        if (cycle === undefined) continue
        for (const key of cycle) reported.add(key)
        const [next] = cycle.slice(1)
        const index = cascadeTo({ model, definition }, next ?? '')
        const names = cycle.map((key) => project.registry.get(key)?.name ?? key)
        report(
          definition.source,
          ['fields', index, 'on_delete'],
          `Deletions cascade in a cycle: ${names.toReversed().join(' → ')}; use restrict or set_null for one of these relations`,
        )
      }
    },
  },
  'model/display-field': {
    severity: 'error',
    summary: 'The display field cannot identify a record',
    details: `display_field is shown to people where a record is referred to. It must be a field of the model, but not a relation or a password.`,
    invalid: [
      modelExample('name: Note\ndisplay_field: »titel«\nfields:\n  - { name: title, type: string }\n'),
      modelExample('name: Note\ndisplay_field: »author_id«\nfields:\n  - { name: author_id, type: foreignkey, model: user }\n'),
    ],
    valid: [
      modelExample('name: Note\ndisplay_field: title\nfields:\n  - { name: title, type: string }\n'),
      modelExample('name: Note\nfields:\n  - { name: title, type: string }\n'),
    ],
  },
  'model/impossible-bounds': {
    severity: 'error',
    summary: 'No value can satisfy the limits of a field',
    details: `A lower limit above the upper one, or choices of another type than the field's, exclude every value: no record with
the field can be stored. Swap the limits, or write the choices in the field's type (text in quotes, numbers without).`,
    invalid: [
      modelExample('name: Note\nfields:\n  - { name: text, type: string, min_length: 10, max_length: »5« }\n'),
      modelExample('name: Note\nfields:\n  - { name: stars, type: integer, gt: 4, lt: »5« }\n'),
      modelExample('name: Note\nfields:\n  - { name: size, type: choice, choices: »[1, 2]« }\n'),
    ],
    valid: [
      modelExample('name: Note\nfields:\n  - { name: text, type: string, min_length: 5, max_length: 5 }\n'),
      modelExample('name: Note\nfields:\n  - { name: stars, type: number, gt: 4, lt: 5 }\n'),
    ],
  },
  'model/invalid': {
    severity: 'error',
    summary: 'A model is malformed',
    details: `A model has a class name and a list of fields; a field has a name, a type and the options of its type. Names are unique: of
models, also ignoring case, and of fields and relations of a model. A model that replaces a built-in one (user, group, permission) keeps its
fields.

The message names the key or value; for an unknown key or type it suggests a similar one.`,
    invalid: [
      modelExample('name: Other\nfields:\n  - { name: title, type: string, »max_lenght«: 10 }\n'),
      modelExample('name: Other\nfields:\n  - { name: title, type: »strng« }\n'),
      modelExample('name: »note«\nfields: []\n'),
    ],
    valid: [
      modelExample('name: Other\nfields:\n  - { name: title, type: string, max_length: 10 }\n'),
      modelExample('name: Other\nlabel: Others\ntimestamps: true\nfields: []\n'),
    ],
  },
  'model/invalid-rename': {
    severity: 'error',
    summary: 'A former name is still in use, or is that of two fields or models',
    details: `\`was\` is the former name of a renamed field or model: the stored values of that name are taken over. It must be a name that no field
of the model, or no model, has now, and only one may have had it.

Remove \`was\`, or remove the field or model of the former name.`,
    invalid: [
      modelExample(
        'name: Other\nfields:\n  - { name: title, type: string, was: »heading« }\n  - { name: heading, type: string }\n',
      ),
      modelExample(
        'name: Other\nfields:\n  - { name: title, type: string, was: heading }\n  - { name: name, type: string, was: »heading« }\n',
      ),
      modelExample('name: Other\nwas: »Post«\nfields: []\n'),
      modelExample('- { name: Other, was: Memo, fields: [] }\n- { name: Another, was: »Memo«, fields: [] }\n'),
    ],
    valid: [
      modelExample('name: Other\nwas: Memo\nfields:\n  - { name: title, type: string, was: heading }\n'),
      modelExample(
        '- { name: Other, fields: [{ name: a, type: string, was: z }] }\n- { name: Another, fields: [{ name: b, type: string, was: z }] }\n',
      ),
    ],
  },
  'model/required-self-reference': {
    severity: 'error',
    summary: 'A mandatory relation refers to its own model, so no first record can be created',
    details: `A record can only refer to records that exist. If every record of a model must refer to another one of the same model, there is none that
the first record could refer to, so the API can never create one.

Leave out \`required\`: the first record, such as the root of a tree, then has no reference. A rule of a form can demand one where it is needed.
If the first record comes from seed/, disable this rule for the field.`,
    invalid: [
      modelExample('name: Page\nfields:\n  - { name: parent_id, type: foreignkey, model: page, required: »true« }\n'),
      modelExample('name: Page\nfields:\n  - name: related\n    type: many_to_many\n    model: page\n    required: »true«\n'),
    ],
    valid: [
      modelExample('name: Page\nfields:\n  - { name: parent_id, type: foreignkey, model: page }\n'),
      modelExample('name: Page\nfields:\n  - { name: author_id, type: foreignkey, model: user, required: true }\n'),
    ],
    model({ model, definition, source }, report) {
      for (const { name, required, relation } of model.relations.values()) {
        if (!required || relation.target !== model.key) continue
        const message = `'${name}' is mandatory and refers to ${model.name} itself, so no first record can be created; leave out 'required'`
        report(source, [...fieldPath(definition.value, name), 'required'], message)
      }
    },
  },
  'model/unknown-icon': {
    severity: 'warn',
    summary: 'The icon of a model is not one of Lucide',
    details: `The icon of a model is a name of Lucide (lucide.dev), such as file-text, users or shopping-cart. For an unknown name, the admin page
displays a general icon.`,
    invalid: [
      modelExample('name: Note\nicon: »file-txt«\nfields: [{ name: title, type: string }]\n'),
      modelExample('name: Note\nicon: »Users«\nfields: [{ name: title, type: string }]\n'),
    ],
    valid: [
      modelExample('name: Note\nfields: [{ name: title, type: string }]\n'),
      modelExample('name: Note\nicon: file-text\ngroup: Content\nfields: [{ name: title, type: string }]\n'),
    ],
    model({ model: { icon }, source }, report) {
      if (icon === undefined) return
      iconNames ??= readIconNames()
      if (!iconNames.has(icon)) report(source, ['icon'], `Unknown icon '${icon}'${didYouMean(icon, iconNames)}`)
    },
  },
  'model/unknown-relation': {
    severity: 'error',
    summary: 'A relation refers to an unknown model',
    details: `A foreignkey, one_to_one or many_to_many names its model in lower case: one of the project's, or user, group or permission. Use the
suggested name, or add the model.`,
    invalid: [
      modelExample('name: Note\nfields:\n  - { name: post_id, type: foreignkey, model: »psot« }\n'),
      modelExample('name: Note\nfields:\n  - name: labels\n    type: many_to_many\n    model: »label«\n'),
    ],
    valid: [
      modelExample('name: Note\nfields:\n  - { name: post_id, type: foreignkey, model: post }\n'),
      modelExample('name: Note\nfields:\n  - { name: users, type: many_to_many, model: user }\n'),
    ],
  },
  'model/unsafe-pattern': {
    severity: 'error',
    summary: 'A pattern is not a regular expression that RE2 supports',
    details: `Patterns are matched by RE2, whose time is linear in the text for every pattern, so that no text can block the server.
It supports neither lookaround nor backreferences. Use several fields, choices, or a rule of a form instead.`,
    invalid: [
      modelExample('name: Note\nfields:\n  - { name: code, type: string, pattern: »"(a+)\\\\1"« }\n'),
      modelExample('name: Note\nfields:\n  - { name: code, type: string, pattern: »"(?=x)"« }\n'),
      modelExample('name: Note\nfields:\n  - { name: code, type: string, pattern: »"[a-"« }\n'),
    ],
    valid: [
      modelExample('name: Note\nfields:\n  - { name: code, type: string, pattern: "^[a-z]+$" }\n'),
      modelExample('name: Note\nfields:\n  - { name: code, type: string, pattern: "^(a+)+$" }\n'),
    ],
  },
} as const satisfies Readonly<Record<string, LintRule>>

/** The shortest cycle of cascading relations through a model and at least one other. */
function shortestCycle({ registry }: LintProject, start: string): string[] | undefined {
  const seen = new Set([start])
  let paths: string[][] = [[start]]
  while (paths.length > 0) {
    const longer: string[][] = []
    for (const path of paths) {
      for (const { relation } of registry.get(path.at(-1) ?? '')?.relations.values() ?? []) {
        if (relation.kind !== 'one' || relation.onDelete !== 'cascade') continue
        if (relation.target === start && path.length > 1) return [...path, start]
        if (seen.has(relation.target)) continue
        seen.add(relation.target)
        longer.push([...path, relation.target])
      }
    }
    paths = longer
  }
  return undefined
}

function cascadeTo({ definition: { value } }: Pick<DefinedModel, 'model' | 'definition'>, target: string): number {
  const fields = isObject(value) && Array.isArray(value.fields) ? value.fields : []
  return fields.findIndex(
    (field: unknown) =>
      isObject(field) && field.on_delete === 'cascade' && typeof field.model === 'string' && field.model.toLowerCase() === target,
  )
}
