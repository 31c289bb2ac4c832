import { ALLOW_LISTS, allowListNames, type Example, type LintRule } from '../rule.ts'

const ORDER = 'name: Order\nfields:\n  - { name: price, type: number }\n  - { name: total, type: number }\n'

const define = (model: string, hooks: string): string =>
  `import { defineHooks } from 'admin-folder'\nexport default »defineHooks«('${model}', ${hooks})\n`

const unmarked = (text: string): string => text.replace(/[»«]/g, '')

const hooksExample = (text: string): Example => ({ files: { 'models/order.yaml': ORDER, 'hooks/order.js': text } })

const TOTAL = '{ compute: { total: ({ price }) => price } }'

const VALID = [
  hooksExample(unmarked(define('order', TOTAL))),
  hooksExample(
    unmarked(define('order', "{ validate: ({ record }) => (record.price < 0 ? { price: 'Not below 0' } : undefined) }")),
  ),
]

/** An example with a form of a model whose total is computed. */
const formOfOrders = (rest: string): Example => ({
  files: {
    'models/order.yaml': ORDER,
    'hooks/order.js': unmarked(define('order', TOTAL)),
    'views/order.yaml': `name: OrderForm\nview_type: form\nmodel: Order\nfields: [{ name: price }, { name: total }]\n${rest}`,
  },
})

/** Rules for the code of the project. */
export const CODE_RULES = {
  'code/invalid': {
    severity: 'error',
    summary: 'A file of code does not define what its folder holds',
    details: `A file in hooks/ exports by default what defineHooks returns. Its members are functions with the names of hooks, and compute, an
object of functions by field. Correct the name or the value that the message names.`,
    invalid: [hooksExample(define('order', '{ beforeSave: () => {} }')), hooksExample(define('order', '{ validate: true }'))],
    valid: VALID,
  },
  'code/unknown-model': {
    severity: 'error',
    summary: 'Code names a model that does not exist',
    details: `The first argument of defineHooks is a model, or its name in lower case, as in the paths of the API. Correct the name, or add the model.
Hooks of users, groups and permissions are possible, too.`,
    invalid: [hooksExample(define('oder', TOTAL)), hooksExample(define('orders', '{ beforeDelete: () => {} }'))],
    valid: VALID,
  },
  'code/unknown-field': {
    severity: 'error',
    summary: 'Hooks compute a field that does not exist, or that they cannot set',
    details: `compute names fields of the model of its file. It cannot set the id, timestamps and secret fields, and each field is computed by
one file only.`,
    invalid: [
      hooksExample(define('order', '{ compute: { sum: ({ price }) => price } }')),
      hooksExample(define('order', '{ compute: { id: () => 1 } }')),
    ],
    valid: VALID,
  },
  'code/computed-field-in-form': {
    severity: 'error',
    summary: 'An allow-list names a field that hooks compute',
    details: `Hooks compute the field at each write, so requests that set it are rejected with “… is computed”. Forms show the field read-only. \`--fix\`
removes it from the allow-list, which changes nothing for clients.`,
    invalid: [
      formOfOrders('creation_fields: [price, »total«]\n'),
      formOfOrders('creation_fields: [price]\nallowed_update_fields:\n  - price\n  - »total«\n'),
    ],
    valid: [formOfOrders('creation_fields: [price]\n'), formOfOrders('allowed_update_fields: [price]\n')],
    view({ form, source, fieldOf }, report) {
      for (const list of form === undefined ? [] : ALLOW_LISTS) {
        for (const [name, path] of form === undefined ? [] : allowListNames(form, list)) {
          if (fieldOf(name)?.computed !== true) continue
          report(source, path, `'${name}' is computed by hooks; remove it from ${list}`, { fix: { kind: 'remove', path } })
        }
      }
    },
  },
} as const satisfies Readonly<Record<string, LintRule>>
