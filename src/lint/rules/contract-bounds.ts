import type { Limits } from '../../model/limits.ts'
import type { Model } from '../../model/model.ts'
import {
  commonForms,
  commonModels,
  fieldPath,
  highest,
  isAbove,
  isBelow,
  limitsIn,
  lowest,
  modelSource,
} from '../field-options.ts'
import { changeExample, fieldChangeExample, formChangeExample, type LintRule, quoted } from '../rule.ts'

/** The rule for limits that became narrower since an earlier version. */
export const CONTRACT_BOUNDS_RULES = {
  'contract/bounds': {
    severity: 'error',
    summary: 'The bounds of a field were tightened (breaking) or relaxed',
    details: `Checked only with --against. Values that used to be valid are rejected: by a shorter max_length, a higher gte, a removed choice, another
pattern, unique, or unique_together. \`admin lint --data\` lists the stored records concerned.`,
    invalid: [
      fieldChangeExample('{ name: text, type: string, max_length: 100 }', '»{ name: text, type: string, max_length: 50 }«'),
      fieldChangeExample('{ name: size, type: choice, choices: [s, m, l] }', '»{ name: size, type: choice, choices: [s, m] }«'),
      changeExample(
        'models/other.yaml',
        'name: Other\nfields: [{ name: a, type: string }, { name: b, type: string }]\n',
        'name: Other\nunique_together: »[[a, b]]«\nfields: [{ name: a, type: string }, { name: b, type: string }]\n',
      ),
      formChangeExample('fields:\n  - { name: rating }\n', 'fields:\n  - »{ name: rating, options: { gte: 2 } }«\n'),
    ],
    valid: [
      fieldChangeExample(
        '{ name: text, type: string, max_length: 100 }',
        '{ name: text, type: string, max_length: 100, help_text: Anything }',
      ),
      fieldChangeExample('{ name: size, type: choice, choices: [s, m] }', '{ name: size, type: choice, choices: [m, s] }'),
    ],
    compare(before, after, report) {
      for (const [was, is] of commonModels(before, after)) {
        const { source, value } = modelSource(after, is)
        for (const { what, breaking } of setChanges(was, is))
          report(source, ['unique_together'], `${is.name}: ${what}`, { breaking })
        for (const field of is.fields.values()) {
          const old = was.fields.get(field.name)
          // Limits of different types cannot be compared.
          if (old === undefined || old.type.name !== field.type.name) continue
          for (const { what, breaking } of changesOf(
            { ...old.limits, unique: old.unique },
            { ...field.limits, unique: field.unique },
          )) {
            report(source, fieldPath(value, field.name), `'${field.name}' of ${is.name}: ${what}`, { breaking })
          }
        }
      }
      for (const { was, is } of commonForms(before, after)) {
        for (const [index, { name, options }] of is.view.fields.entries()) {
          const old = was.fields.find((each) => each.name === name)?.options
          for (const { what, breaking } of changesOf(limitsIn(old), limitsIn(options))) {
            report(is.source, ['fields', index], `'${name}' in the form ${was.name}: ${what}`, { breaking })
          }
        }
      }
    },
  },
} as const satisfies Readonly<Record<string, LintRule>>

/** Changes of the fields that are unique together. */
function setChanges(was: Model, is: Model): { what: string; breaking: boolean }[] {
  const sets = (model: Model) => new Map(model.uniqueSets.map(({ fields }) => [[...fields].sort().join(), fields]))
  const [old, now] = [sets(was), sets(is)]
  const added = [...now].filter(([key]) => !old.has(key))
  const removed = [...old].filter(([key]) => !now.has(key))
  return [
    ...added.map(([, fields]) => ({ what: `${quoted(fields)} must now be unique together`, breaking: true })),
    ...removed.map(([, fields]) => ({ what: `${quoted(fields)} no longer have to be unique together`, breaking: false })),
  ]
}

type Bounds = Omit<Limits, 'pattern'> & { readonly pattern?: unknown; readonly unique?: boolean }

function changesOf(was: Bounds, is: Bounds): { what: string; breaking: boolean }[] {
  const changes: { what: string; breaking: boolean }[] = []
  const number = (key: 'min_length' | 'max_length', none: number, sign: 1 | -1) => {
    const [old, now] = [was[key] ?? none, is[key] ?? none]
    if (old !== now)
      changes.push({ what: `${key} was ${show(was[key])} and is ${show(is[key])}`, breaking: (now - old) * sign > 0 })
  }
  number('min_length', 0, 1)
  number('max_length', Infinity, -1)
  for (const [name, end, isOutside] of [
    ['lower', lowest, isBelow],
    ['upper', highest, isAbove],
  ] as const) {
    const [old, now] = [end(was), end(is)]
    const tighter = isOutside(old, now)
    if (tighter || isOutside(now, old)) {
      changes.push({ what: `the ${name} bound was ${bound(old)} and is ${bound(now)}`, breaking: tighter })
    }
  }
  const removed = (was.choices ?? []).filter((choice) => is.choices?.includes(choice) === false)
  const added = (is.choices ?? []).filter((choice) => was.choices?.includes(choice) === false)
  if (was.choices === undefined && is.choices !== undefined)
    changes.push({ what: 'it is now limited to choices', breaking: true })
  if (was.choices !== undefined && is.choices === undefined)
    changes.push({ what: 'it is no longer limited to choices', breaking: false })
  if (removed.length > 0) changes.push({ what: `${quoted(removed.map(String))} can no longer be chosen`, breaking: true })
  if (added.length > 0) changes.push({ what: `${quoted(added.map(String))} can now be chosen`, breaking: false })
  if (String(was.pattern ?? '') !== String(is.pattern ?? '')) {
    changes.push({
      what:
        is.pattern === undefined
          ? 'its pattern was removed'
          : was.pattern === undefined
            ? 'a pattern was added'
            : 'its pattern changed',
      breaking: is.pattern !== undefined,
    })
  }
  if ((was.unique ?? false) !== (is.unique ?? false)) {
    changes.push({
      what: is.unique === true ? 'it must now be unique' : 'it no longer has to be unique',
      breaking: is.unique === true,
    })
  }
  return changes
}

const show = (value: number | undefined): string => (value === undefined ? 'not set' : String(value))

const bound = ({ at, open }: ReturnType<typeof lowest>): string =>
  Number.isFinite(at) ? `${at}${open ? ' (exclusive)' : ''}` : 'not set'
