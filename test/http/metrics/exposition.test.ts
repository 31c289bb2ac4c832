import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exposition } from '../../../src/http/metrics.ts'

test('a metric is its help, its type and a line for each sample', () => {
  const text = exposition([
    { name: 'up', help: 'Is it?', type: 'gauge', samples: [{ value: 1 }] },
    {
      name: 'took_seconds',
      help: 'How long.',
      type: 'histogram',
      samples: [
        { suffix: '_bucket', labels: { le: '+Inf' }, value: 2 },
        { suffix: '_sum', value: 0.25 },
      ],
    },
  ])
  assert.equal(
    text,
    '# HELP up Is it?\n# TYPE up gauge\nup 1\n' +
      '# HELP took_seconds How long.\n# TYPE took_seconds histogram\ntook_seconds_bucket{le="+Inf"} 2\ntook_seconds_sum 0.25\n',
  )
})

test('the value of a label cannot end it', () => {
  const text = exposition([
    { name: 'a', help: '.', type: 'counter', samples: [{ labels: { b: 'x"} 1\n\\', c: 'd' }, value: 3 }] },
  ])
  assert.equal(text.split('\n')[2], 'a{b="x\\"} 1\\n\\\\",c="d"} 3')
})
