import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition, metricsOf } from '../../src/http/metrics.ts'
import { BUCKETS_MS } from '../../src/http/traffic.ts'
import {
  bucketsOf,
  DURATIONS,
  durationBars,
  highestBars,
  MEMORY,
  OUTBOX,
  parseMetrics,
  quantile,
  RECORDS,
  REQUESTS,
  STARTED,
  singleValue,
  statusBars,
  sumBy,
} from '../../src/ui/data/metrics.ts'
import { valuesOf } from '../helpers/values-of.ts'

test('the text of the server is read: labels, escapes, exponents', () => {
  const route = 'a "b"\n\\n{c}, d="e"'
  const text = exposition([
    { name: 'up', help: 'Is it?', type: 'gauge', samples: [{ value: 1 }] },
    { name: 'seen_total', help: 'x 1', type: 'counter', samples: [{ labels: { route, status: '200' }, value: 1.5e-9 }] },
  ])
  assert.deepEqual(parseMetrics(text), [
    { name: 'up', labels: {}, value: 1 },
    { name: 'seen_total', labels: { route, status: '200' }, value: 1.5e-9 },
  ])
})

test('values are added up by a label', () => {
  const samples = parseMetrics('n{a="x",b="1"} 2\nn{a="x",b="2"} 3\nn{a="y"} 4\nm{a="x"} 5\n')
  assert.deepEqual(
    [...sumBy(samples, 'n', 'a')],
    [
      ['x', 5],
      ['y', 4],
    ],
  )
  assert.equal(singleValue(samples, 'missing'), undefined)
})

const HISTOGRAM = 't_bucket{le="0.01"} 4\nt_bucket{le="0.1"} 10\nt_bucket{le="+Inf"} 10\n'

test('buckets are no longer cumulative, and over all routes', () => {
  const samples = parseMetrics(`${HISTOGRAM}t_bucket{r="x",le="0.1"} 1\nt_bucket{r="x",le="+Inf"} 3\n`)
  assert.deepEqual(bucketsOf(samples, 't'), [
    { seconds: 0.01, count: 4 },
    { seconds: 0.1, count: 7 },
    { seconds: Number.POSITIVE_INFINITY, count: 2 },
  ])
})

test('a quantile is estimated within its bucket', () => {
  const buckets = bucketsOf(parseMetrics(HISTOGRAM), 't')
  assert.equal(quantile(buckets, 0.2), 0.005)
  assert.equal(quantile(buckets, 0.7)?.toFixed(3), '0.055')
  assert.equal(
    quantile(
      [
        { seconds: 0.1, count: 0 },
        { seconds: Number.POSITIVE_INFINITY, count: 2 },
      ],
      0.5,
    ),
    0.1,
  )
  assert.equal(quantile([], 0.5), undefined)
})

test('bars show failures of the server, bounds in milliseconds, and the highest values', () => {
  const samples = parseMetrics(
    `${HISTOGRAM.replaceAll('t_', `${DURATIONS}_`)}${REQUESTS}{status="500"} 1\n${REQUESTS}{status="404"} 2\n${REQUESTS}{status="200"} 3\n`,
  )
  assert.deepEqual(statusBars(samples), [
    { label: '200', value: 3, tone: 'plain' },
    { label: '404', value: 2, tone: 'plain' },
    { label: '500', value: 1, tone: 'bad' },
  ])
  assert.deepEqual(durationBars(samples, 'en'), [
    { label: '≤ 10 ms', value: 4 },
    { label: '≤ 100 ms', value: 6 },
    { label: '> 100 ms', value: 0 },
  ])
  const many = Array.from({ length: 20 }, (_, value) => ({ label: `${value}`, value }))
  assert.deepEqual(valuesOf(highestBars(many), 'value'), [19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8])
})

test('the metrics of the server have everything that the charts show', () => {
  const byStatus = new Float64Array(600)
  byStatus[200] = 3
  const byLatency = new Float64Array(BUCKETS_MS.length + 1).fill(1, 0, 3)
  const route = { method: 'GET', route: '/api/v1/models/{model}', byStatus, byLatency, totalMs: 20 }
  const store = { takesWrites: true, journalBytes: 0, records: new Map([['post', 46]]) }
  const text = exposition(
    metricsOf({
      routes: [route],
      store,
      engine: {},
      models: ['post'],
      rejections: {},
      unhandled: 0,
      outboxDepth: 7,
      files: [],
      images: undefined,
    }),
  )
  const samples = parseMetrics(text)
  assert.deepEqual([...sumBy(samples, REQUESTS, 'status')], [['200', 3]])
  assert.deepEqual([...sumBy(samples, REQUESTS, 'route')], [['/api/v1/models/{model}', 3]])
  assert.deepEqual(valuesOf(bucketsOf(samples, DURATIONS), 'count'), [...byLatency])
  assert.deepEqual([...sumBy(samples, RECORDS, 'model')], [['post', 46]])
  assert.equal(singleValue(samples, OUTBOX), 7)
  for (const name of [STARTED, MEMORY]) assert.ok((singleValue(samples, name) ?? 0) > 0, name)
  assert.equal(samples.length, text.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length)
})
