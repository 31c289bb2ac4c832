import type { Example, LintRule } from '../rule.ts'

const ORDER = 'name: Order\nfields:\n  - { name: price, type: number }\n  - { name: total, type: number }\n'

const hooksExample = (text: string): Example => ({ files: { 'models/order.yaml': ORDER, 'hooks/order.js': text } })

const define = (model: string, hooks: string): string =>
  `const { defineHooks } = require('admin-folder')\nmodule.exports = »defineHooks«('${model}', ${hooks})\n`

const unmarked = (text: string): string => text.replace(/[»«]/g, '')

const VALID = [hooksExample(unmarked(define('order', '{ compute: { total: ({ price }) => price } }')))]

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
    details: 'Name a model of the project by its name in lower case.',
    invalid: [hooksExample(define('oder', '{ compute: { total: ({ price }) => price } }'))],
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
} as const satisfies Readonly<Record<string, LintRule>>
