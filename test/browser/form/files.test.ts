import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

/** A PNG of 1 × 1 pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const FILES: Readonly<Record<string, string>> = {
  'models/album.yaml': `name: Album
display_field: title
fields:
  - { name: title, type: string, required: true }
  - { name: cover, type: image, max_size: 8 MiB }
  - { name: gallery, type: image, multiple: true, max_files: 30 }
  - { name: notes, type: file, multiple: true, accept: [text/plain], max_size: 1 KiB }
`,
  'seed/user.yaml': '- { username: admin, email: admin@example.org, password: harbour-admin-2024, is_superuser: true }\n',
}

const project = mkdtempSync(join(tmpdir(), 'admin-album-'))
after(() => rmSync(project, { recursive: true, force: true }))
for (const [name, content] of Object.entries(FILES)) {
  mkdirSync(dirname(join(project, name)), { recursive: true })
  writeFileSync(join(project, name), content)
}

const inBrowser = browserSite({ project })

const png = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') })
const text = (name: string, content = `Of ${name}`) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })

/** Dispatches an event with files to the input of a field, as the browser does when files are dropped or pasted. */
const give = (page: Page, field: string, type: 'drop' | 'paste', names: readonly string[]): Promise<unknown> =>
  page.evaluate(`{
    const data = new DataTransfer()
    for (const name of ${JSON.stringify(names)}) {
      data.items.add(new File([Uint8Array.from(atob('${PNG}'), (letter) => letter.charCodeAt(0))], name, { type: 'image/png' }))
    }
    const init = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data }
    const event = new ${type === 'drop' ? 'DragEvent' : 'ClipboardEvent'}('${type}', init)
    document.querySelector('[data-field=${field}] .files').dispatchEvent(event)
  }`)

const FOCUSED = "document.activeElement?.getAttribute('aria-label')"

const namesIn = async (page: Page, field: string) => page.locator(`[data-field=${field}] .file-name`).allInnerTexts()
const inputIn = (page: Page, field: string) => page.locator(`[data-field=${field}] input[type=file]`)
const status = (page: Page, field: string) => page.locator(`[data-field=${field}] [role=status]`)

/** Creates an album with some pictures through the form. @returns its id */
async function createAlbum(page: Page, title: string, names: readonly string[]): Promise<number> {
  await page.getByLabel('Title').fill(title)
  await inputIn(page, 'gallery').setInputFiles(names.map(png))
  await page.keyboard.press('Control+Enter')
  await page.getByRole('heading', { name: title }).waitFor()
  return Number(page.url().split('/').at(-1))
}

inBrowser(
  'twenty pictures of one drop are one request; the record has them in order, also after a reload, and the list the first',
  { at: '/models/album/new' },
  async ({ page, server, checkAccess }) => {
    const names = Array.from({ length: 20 }, (_, index) => `photo-${index + 1}.png`)
    const requests: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/files/')) requests.push(request.url())
    })
    await page.getByLabel('Title').fill('Harbour')
    await inputIn(page, 'gallery').waitFor()
    await give(page, 'gallery', 'drop', names)
    await assertBecomes(() => status(page, 'gallery').innerText(), '20 files uploaded')
    assert.equal(requests.length, 1)
    await checkAccess()
    await page.keyboard.press('Control+Enter')
    await page.getByRole('heading', { name: 'Harbour' }).waitFor()
    const id = Number(page.url().split('/').at(-1))
    const { data } = await (await apiOf(server)).model('album').read(id)
    assert.deepEqual(
      (data.gallery as readonly { readonly name: string }[]).map(({ name }) => name),
      names,
    )
    await page.reload()
    await page.locator('.file').first().waitFor()
    assert.deepEqual(await namesIn(page, 'gallery'), names)
    await assertBecomes(() => page.evaluate("document.querySelector('.file-picture img')?.naturalWidth > 0"), true)
    await page.goto('/admin/models/album')
    const cell = page.getByRole('row', { name: /Harbour/ }).locator('.cell-files')
    await cell.locator('img').waitFor()
    await assertBecomes(() => cell.innerText(), '+19')
  },
)

inBrowser(
  'files are put in order by the arrow keys and by dragging, named, and removed; the focus and an announcement follow',
  { at: '/models/album/new' },
  async ({ page, server, variant, checkAccess }) => {
    const id = await createAlbum(page, 'Ferries', ['a.png', 'b.png', 'c.png'])
    const handles = page.locator('[data-field=gallery] .file-handle')
    await handles.first().focus()
    await page.keyboard.press('ArrowRight')
    await assertBecomes(() => status(page, 'gallery').innerText(), 'a.png is 2 of 3')
    assert.deepEqual(await namesIn(page, 'gallery'), ['b.png', 'a.png', 'c.png'])
    await assertBecomes(() => page.evaluate(FOCUSED), 'Move a.png, 2 of 3')

    if (variant.width > 360) {
      const [from, to] = [
        await handles.nth(2).boundingBox(),
        await page.locator('[data-field=gallery] .file').first().boundingBox(),
      ]
      assert.ok(from && to)
      await page.mouse.move(from.x + 8, from.y + 8)
      await page.mouse.down()
      await page.mouse.move(to.x + 20, to.y + 20, { steps: 5 })
      await page.mouse.up()
      assert.deepEqual(await namesIn(page, 'gallery'), ['c.png', 'b.png', 'a.png'])
    }

    const menuOf = (name: string) => page.getByRole('button', { name: `Actions of ${name}` })
    await menuOf('a.png').click()
    await page.getByRole('menuitem', { name: 'Name and alternative text' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('File name').fill('boat.png')
    await dialog.getByLabel('Alternative text').fill('A boat')
    await checkAccess()
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await menuOf('c.png').click()
    await checkAccess()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await assertBecomes(() => status(page, 'gallery').innerText(), 'c.png removed')
    await assertBecomes(() => page.evaluate(`${FOCUSED}?.startsWith('Actions of')`), true)

    await page.keyboard.press('Control+Enter')
    await page.getByText('Saved', { exact: true }).waitFor()
    const { data } = await (await apiOf(server)).model('album').read(id)
    const files = data.gallery as readonly { readonly name: string; readonly alt: string | null }[]
    assert.deepEqual(
      files.map(({ name, alt }) => ({ name, alt })),
      [
        { name: 'b.png', alt: null },
        { name: 'boat.png', alt: 'A boat' },
      ],
    )
  },
)

inBrowser(
  'what is too large or of another type is not sent, and says so; the other files are',
  { at: '/models/album/new' },
  async ({ page, checkAccess }) => {
    await inputIn(page, 'notes').setInputFiles([text('small.txt'), text('large.txt', 'x'.repeat(2000)), png('picture.png')])
    const refused = page.locator('[data-field=notes] .files-refused li')
    await refused.nth(1).waitFor()
    assert.deepEqual(await refused.allInnerTexts(), [
      'large.txt must not be larger than 1 KiB',
      'picture.png must be TXT, not PNG',
    ])
    await assertBecomes(() => status(page, 'notes').innerText(), '1 file uploaded')
    assert.deepEqual(await namesIn(page, 'notes'), ['small.txt'])
    await checkAccess()
  },
)

inBrowser(
  'a save waits for uploads; leaving while a file is sent asks; one that fails keeps the record from being saved and is sent again',
  { at: '/models/album/new', allows: ['503 /files/album/cover'] },
  async ({ page }) => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    let attempts = 0
    await page.route('**/files/album/cover*', async (route) => {
      attempts += 1
      if (attempts === 1) return route.abort()
      if (attempts === 2) await held
      return route.continue()
    })
    await page.getByLabel('Title').fill('Night')
    await inputIn(page, 'cover').waitFor()
    await give(page, 'cover', 'paste', ['pasted.png'])
    await page.getByText('The upload failed').waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('1 file could not be uploaded. Try again, or remove what failed.').first().waitFor()
    await page.getByRole('button', { name: 'Actions of pasted.png' }).click()
    await page.getByRole('menuitem', { name: 'Try again' }).click()
    await page.getByRole('progressbar', { name: 'pasted.png' }).waitFor()

    await page.getByRole('main').getByRole('link', { name: 'Album' }).click()
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }).click()
    await page.keyboard.press('Control+Enter')
    assert.equal(await page.getByRole('heading', { name: 'New album' }).isVisible(), true)
    release()
    await page.getByRole('heading', { name: 'Night' }).waitFor()
    assert.deepEqual(await namesIn(page, 'cover'), ['pasted.png'])
  },
)
