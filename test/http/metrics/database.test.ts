import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatementTimes } from '../../../src/app/postgres-store.ts'
import { exposition, metricsOf } from '../../../src/http/metrics.ts'

const store = { takesWrites: true, journalBytes: 7, records: new Map() }
const common = { routes: [], store, models: [], rejections: {}, unhandled: 0, outboxDepth: 0, files: [], images: undefined }

test('a database has metrics of its pool and its statements, and no journal', () => {
  const times = new StatementTimes()
  for (const milliseconds of [0.5, 1, 3, 20_000]) times.observe(milliseconds)
  const database = { pool: { size: 5, used: 2, waiting: 1 }, statements: times.histogram(), retries: 4 }
  const text = exposition(metricsOf({ ...common, engine: { database } }))
  for (const line of [
    'admin_database_connections 5',
    'admin_database_connections_used 2',
    'admin_database_waiting 1',
    'admin_database_statement_duration_seconds_bucket{le="0.001"} 2',
    'admin_database_statement_duration_seconds_bucket{le="0.005"} 3',
    'admin_database_statement_duration_seconds_bucket{le="10"} 3',
    'admin_database_statement_duration_seconds_bucket{le="+Inf"} 4',
    'admin_database_statement_duration_seconds_sum 20.0045',
    'admin_database_statement_duration_seconds_count 4',
    'admin_database_retries_total 4',
  ]) {
    assert.ok(text.split('\n').includes(line), `${line} is missing in:\n${text}`)
  }
  assert.ok(!text.includes('admin_journal_bytes'))
})

test('an engine in this process has the length of its journal', () => {
  const text = exposition(metricsOf({ ...common, engine: {} }))
  assert.match(text, /^admin_journal_bytes 7$/m)
  assert.ok(!text.includes('admin_database'))
})
