import type { Layout } from '../layout/layout.ts'
import { SYSTEM_PREFIX } from '../layout/names.ts'
import { addToCounters } from '../schema/counters.ts'
import { literal, type Sql, sql } from '../sql.ts'

/** The name under which `_admin_counters` counts the statements that have stored many events. */
const COUNTED_AS = `${SYSTEM_PREFIX}late_events`

/**
 * A transaction with more events takes their ids so long before its commit that later ids may be known to be pending before it commits. Holders
 * of leases are then told to read all pending events again.
 */
const MANY_EVENTS = 100

/** The parts of a statement that stores events, by which holders of leases learn of them however late it commits; none if they are few. */
export const lateEventParts = (layout: Layout, count: number): Sql[] =>
  count <= MANY_EVENTS ? [] : [addToCounters(layout, literal(COUNTED_AS), sql`0`)]

/** A number that changes when a transaction with many events has been committed. */
export const lateEventsVersion = (layout: Layout): Sql =>
  sql`(select coalesce(sum("writes"), 0) from ${layout.system('counters')} where "table_name" = ${COUNTED_AS})::bigint`
