import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestApp, type TestApp } from '../../helpers/api/app.ts'
import { type Reply, send } from '../../helpers/api/scenario.ts'
import type { FixtureName } from '../../helpers/fixture.ts'

const read = (app: TestApp, url: string, as = 'admin'): Promise<Reply> => send(app, { request: `GET ${url as '/'}`, as })

/** The type, the name and the alternative text of a file, and of an image the size. */
const described = ({ type, name, width, height, alt }: Reply['json']) => ({ type, name, width, height, alt })

describe('files of the fixtures', () => {
  test('posts of the blog have covers of 16 by 9, with their thumbnails and alternative texts', async () => {
    await using app = await openTestApp({ fixture: 'blog', withFiles: true })
    const { json } = await read(app, '/api/v1/models/post?filters=cover__isnull=false&sort_by=id')
    assert.deepEqual(
      json.data.map(({ slug, cover }: Reply['json']) => [slug, cover.name, `${cover.width} × ${cover.height}`]),
      [
        ['inside-the-lantern-room', 'lantern-room.webp', '960 × 540'],
        ['storm-ylva-in-pictures', 'storm-ylva.webp', '960 × 540'],
        ['the-year-the-herring-came-back', 'herring.webp', '960 × 540'],
        ['how-to-read-a-tide-table', 'tide-table.webp', '960 × 540'],
        ['jellyfish-what-the-lifeguards-wish-you-knew', 'jellyfish.webp', '960 × 540'],
        ['the-ferry-that-would-not-be-scrapped', 'ferry.webp', '960 × 540'],
        ['starlings-over-the-silo', 'starlings.webp', '960 × 540'],
      ],
    )
    for (const { cover } of json.data) assert.ok(cover.alt.length > 20, cover.name)
    const [{ cover }] = json.data
    for (const [thumbnail, type] of [
      ['card', 'image/webp'],
      ['square', 'image/jpeg'],
      ['preview', 'image/webp'],
    ]) {
      const { status, headers } = await read(app, `${cover.url}?thumbnail=${thumbnail}`)
      assert.deepEqual([status, headers['content-type']], [200, type], thumbnail)
    }
  })

  test('scans of the clinic are for those who may read the patient; an invoice has its PDF', async () => {
    await using app = await openTestApp({ fixture: 'clinic', withFiles: true })
    const { json: restricted } = await read(app, '/api/v1/models/patient/42')
    const [{ url }] = restricted.data.scans
    const statuses: Record<string, number> = {}
    for (const name of ['g.adeyemi', 'a.yusuf', 'e.marchand']) statuses[name] = (await read(app, url, name)).status
    assert.deepEqual(statuses, { 'g.adeyemi': 200, 'a.yusuf': 200, 'e.marchand': 404 })

    const { json: knee } = await read(app, '/api/v1/models/patient/21', 'e.marchand')
    assert.deepEqual(knee.data.scans.map(described), [
      {
        ...{ type: 'image/jpeg', name: 'knee-front.jpg', width: 675, height: 825 },
        alt: 'X-ray of the left knee from the front, without findings',
      },
      {
        ...{ type: 'image/jpeg', name: 'knee-side.jpg', width: 675, height: 825 },
        alt: 'X-ray of the left knee from the side, without findings',
      },
    ])
    const { json: ecg } = await read(app, '/api/v1/models/patient/1')
    assert.equal(ecg.data.scans[0].name, 'ECG 2026-10-15.png')

    const { json: invoice } = await read(app, '/api/v1/models/invoice/1', 'g.adeyemi')
    const { number, total_amount: total, document } = invoice.data
    const { status, headers, text } = await read(app, document.url, 'g.adeyemi')
    assert.deepEqual([status, headers['content-type']], [200, 'application/pdf'])
    assert.ok(text.includes(`(Invoice ${number})`) && text.includes(`(${Number(total).toFixed(2)})`))
    assert.ok(text.slice(Number(/startxref\n(\d+)/.exec(text)?.[1])).startsWith('xref\n'))
  })

  for (const fixture of ['blog', 'clinic'] as const satisfies readonly FixtureName[]) {
    test(`applications of other tests have no files, so that none starts an image process: ${fixture}`, async () => {
      await using app = await openTestApp({ fixture })
      const { forks, jobs } = app.app.images.figures()
      assert.deepEqual([forks, jobs], [0, 0])
      assert.ok(app.app.seeded > 100)
    })
  }
})
