import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { encoded } from '../../images/pictures.ts'

const MODELS = {
  'models/article.yaml': `
name: Article
fields:
  - { name: cover, type: image }
  - { name: scans, type: file, multiple: true }
`,
  'models/letter.yaml': 'name: Letter\nfields: [{ name: scan, type: file }]\n',
  'models/tag.yaml': 'name: Tag\nfields: [{ name: title, type: string }]\n',
}

const USERS = {
  'seed/user.yaml': '- { username: admin, email: admin@example.org, password: a-long-password, is_superuser: true }\n',
}

async function upload(app: TestApp, path: string, payload: Buffer): Promise<void> {
  const headers = { authorization: `Bearer ${await app.tokenOf('admin')}`, 'content-type': 'application/octet-stream' }
  const { statusCode, payload: text } = await app.server.inject({
    method: 'POST',
    url: `/api/v1/files/${path}`,
    payload,
    headers,
  })
  assert.equal(statusCode, 201, text)
}

const metricsOf = async (app: TestApp): Promise<readonly string[]> =>
  (await app.server.inject({ method: 'GET', url: '/metrics' })).payload.split('\n')

function includesAll(metrics: readonly string[], lines: readonly string[]): void {
  for (const line of lines) assert.ok(metrics.includes(line), `${line} is missing in:\n${metrics.join('\n')}`)
}

test('metrics have files and bytes by model, and the image processes', async () => {
  await using app = await openTestApp({ files: { ...MODELS, ...USERS } })
  includesAll(await metricsOf(app), [
    'admin_files{model="article"} 0',
    'admin_file_bytes{model="article"} 0',
    'admin_image_processes 0',
    'admin_image_processes_started_total 0',
  ])
  const picture = await encoded('png')
  await upload(app, 'article/cover', picture)
  await upload(app, 'article/scans', Buffer.from('Hello'))
  await upload(app, 'article/scans', Buffer.from('Hello'))
  const metrics = await metricsOf(app)
  includesAll(metrics, [
    'admin_files{model="article"} 3',
    `admin_file_bytes{model="article"} ${picture.length + 10}`,
    'admin_files{model="letter"} 0',
    'admin_image_jobs_waiting 0',
    'admin_image_jobs_running 0',
    'admin_image_processes 1',
    'admin_image_jobs_total 3',
    'admin_image_processes_started_total 1',
    'admin_image_processes_killed_total 0',
  ])
  assert.ok(!metrics.some((line) => line.startsWith('admin_files{model="tag"')))
})

test('metrics of a project without fields of files have none of this', async () => {
  await using app = await openTestApp({ files: { 'models/tag.yaml': MODELS['models/tag.yaml'] } })
  assert.doesNotMatch((await metricsOf(app)).join('\n'), /admin_(files|file_bytes|image)/)
})
