import { changesTable } from '../changes/logged-changes.ts'
import { readersTable } from '../changes/stored-change-log.ts'
import type { Layout } from '../layout/layout.ts'
import { SYSTEM_PREFIX } from '../layout/names.ts'
import { callersTable, lockoutsTable, requestsTable } from '../limits/limit-tables.ts'
import { leasesTable } from '../outbox/postgres-leases.ts'
import { searchObjects } from '../search/search-tables.ts'
import { countersTable, countFunction } from './counters.ts'
import { definitionsTable } from './recorded.ts'
import type { SystemObject } from './system-object.ts'

/** The tables and functions of the store that belong to no model. */
export const systemObjects = (layout: Layout): readonly SystemObject[] => [
  { kind: 'table', name: `${SYSTEM_PREFIX}definitions`, create: definitionsTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}counters`, create: countersTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}leases`, create: leasesTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}changes`, create: changesTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}change_readers`, create: readersTable(layout) },
  { kind: 'function', name: `${SYSTEM_PREFIX}count`, create: countFunction(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}lockouts`, create: lockoutsTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}callers`, create: callersTable(layout) },
  { kind: 'table', name: `${SYSTEM_PREFIX}requests`, create: requestsTable(layout) },
  ...searchObjects(layout),
]
