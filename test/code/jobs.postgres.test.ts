import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { JOBS as TABLE } from '../../src/code/job-models.ts'
import { tableName } from '../../src/store/postgres/layout/column.ts'
import { identifier, sql } from '../../src/store/postgres/sql.ts'
import { startServer } from '../helpers/cli/process.ts'
import { repetitions } from '../helpers/counts.ts'
import { NO_POSTGRES, sharedDatabase } from '../helpers/postgres/server.ts'
import { twoServers } from '../helpers/postgres/two-servers.ts'

interface Row {
  readonly id: number
  readonly text: string
}

const JOBS = 200
const KEYS = 20
/** Seconds for which a schedule of each second runs. */
const SECONDS = repetitions(5, 60)

const FILES = {
  'package.json': '{ "type": "module" }',
  'models/done.yaml': `name: Done
fields:
  - { name: job, type: integer, required: true }
  - { name: text, type: string, required: true }
`,
  'jobs/all.ts': `// @ts-nocheck
import { defineJob } from 'admin-folder'
const note = (text, ctx) => ctx.system.model('done').create({ job: ctx.job.id, text })
export default [
  defineJob({ name: 'work', input: [{ name: 'text', type: 'string', required: true }], run: ({ text }, ctx) => note(text, ctx) }),
  defineJob({ name: 'alone', concurrency: 1, async run(_, ctx) {
    await note('begins', ctx)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await note('ends', ctx)
  } }),
  defineJob({ name: 'tick', schedule: '* * * * * *', run: (_, ctx) => note('tick', ctx) }),
]
`,
}

describe('jobs in two processes', { skip: NO_POSTGRES }, () => {
  test('each runs once, one of a kind at a time, keys and schedules count for both', () =>
    twoServers(
      async ({ servers, request, until }) => {
        const server = (index: number) => servers[index % 2 === 0 ? 0 : 1]
        const run = async (index: number, name: string, body: object) => {
          const { status, json } = await request(server(index), 'POST', `jobs/${name}/run`, body)
          assert.equal(status, 202, JSON.stringify(json))
          return Number(json.data.id)
        }
        const total = async (query: string) => (await request(servers[0], 'GET', `jobs?page_size=1&${query}`)).json.total
        const done = async (filter: string) => {
          const { json } = await request(servers[1], 'GET', `models/done?page_size=100&filters=${filter}`)
          return { texts: json.data.map(({ text }: Row) => text), total: json.total }
        }
        await Promise.all(Array.from({ length: JOBS }, (_, index) => run(index, 'work', { input: { text: 'work' } })))
        await until(async () => (await total('name=work&status=done')) === JOBS, 'all jobs are done')
        assert.equal((await done('text=work')).total, JOBS)

        await Promise.all(Array.from({ length: 10 }, (_, index) => run(index, 'alone', {})))
        await until(async () => (await total('name=alone&status=done')) === 10, 'the jobs that run alone are done')
        const { json } = await request(servers[0], 'GET', 'models/done?page_size=100&filters=text__in=begins,ends')
        assert.deepEqual(
          json.data.toSorted((a: Row, b: Row) => a.id - b.id).map(({ text }: Row) => text),
          Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? 'begins' : 'ends')),
        )

        const later = new Date(Date.now() + 3_600_000).toISOString()
        const ids = await Promise.all(
          Array.from({ length: KEYS }, (_, index) => run(index, 'work', { input: { text: 'key' }, key: 'one', run_at: later })),
        )
        assert.equal(new Set(ids).size, 1)
      },
      { files: FILES },
    ))

  test(`a schedule of each second on three processes runs ${SECONDS} times in ${SECONDS} seconds`, () =>
    twoServers(
      async ({ servers, request, project, until }) => {
        const third = await startServer(['--project', project.folder.path], { env: project.env })
        try {
          const table = identifier(project.schema, tableName({ key: TABLE, internal: true }))
          /** The seconds for which a job is stored, and the ids of those of the jobs that are done. */
          const stored = async () => {
            const { rows } = await (await sharedDatabase()).query(
              sql`select id, occurrence, status from ${table} where name = 'tick' order by occurrence`,
            )
            return rows.map(([id, occurrence, status]) => ({
              id: Number(id),
              second: Date.parse(String(occurrence).slice('tick '.length)) / 1000,
              isDone: status === 'done',
            }))
          }
          const begun = (await stored()).length
          await until(async () => (await stored()).length >= begun + SECONDS / 2, 'half of the time has passed')
          await until(async () => {
            const jobs = (await stored()).slice(begun, begun + SECONDS)
            return jobs.length === SECONDS && jobs.every(({ isDone }) => isDone)
          }, `${SECONDS} jobs are done`)
          const jobs = (await stored()).slice(begun, begun + SECONDS)
          const [{ second: first } = { second: 0 }] = jobs
          assert.deepEqual(
            jobs.map(({ second }) => second - first),
            Array.from({ length: SECONDS }, (_, index) => index),
          )
          const runs = new Map<number, number>()
          for (let page = 1, total = 1; (page - 1) * 100 < total; page++) {
            const { json } = await request(
              servers[1],
              'GET',
              `models/done?page_size=100&page=${page}&sort_by=id&filters=text=tick`,
            )
            total = json.total
            for (const { job } of json.data) runs.set(job, (runs.get(job) ?? 0) + 1)
          }
          assert.deepEqual(
            jobs.map(({ id }) => runs.get(id)),
            jobs.map(() => 1),
          )
        } finally {
          await third.stop()
        }
      },
      { files: FILES },
    ))
})
