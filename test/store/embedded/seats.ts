import type { Registry } from '../../../src/model/registry.ts'
import { registryOf } from '../../model/models.ts'

/** Rows and numbers of seats; together they are unique. */
export const ROWS = 40

/** A registry of seats that no two records share. */
export const seatRegistry = (): Registry =>
  registryOf({
    name: 'Seat',
    unique_together: [['row', 'number']],
    fields: [
      { name: 'row', type: 'integer', required: true },
      { name: 'number', type: 'integer', required: true },
    ],
  })
