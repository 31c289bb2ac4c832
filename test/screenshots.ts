// Makes the pictures of the documentation: `npm run screenshots`. They show the built page with the records of the examples.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { LOGIN_HINT, logIn } from './helpers/browser-login.ts'
import { startChromium } from './helpers/chromium.ts'
import { startServer } from './helpers/cli/process.ts'
import { ROOT } from './helpers/fixture.ts'
import { GERMAN_CSV } from './helpers/german-patients.ts'

const TARGET = join(ROOT, 'docs/images')
/** Of WebP, in percent: text stays sharp, and all pictures together stay under 1 MB. */
const QUALITY = 85

/** The examples with an account of each. */
const PROJECTS = {
  blog: { username: 'admin', password: 'harbour-admin-2024' },
  clinic: { username: 'g.adeyemi', password: 'front-desk-morning-26' },
} as const

/** A file whose check finds a missing name, an invalid slug and a repeated one. */
interface Picture {
  /** Default: `blog`. */
  readonly project?: keyof typeof PROJECTS
  readonly at: string
  readonly scheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  /** Leads to what the picture shows, and waits for it. */
  readonly show: (page: Page) => Promise<unknown>
}

const rows = (page: Page) => page.locator('tbody tr').first().waitFor()

const PICTURES: Readonly<Record<string, Picture>> = {
  dashboard: {
    at: '/models/post/1',
    show: async (page) => {
      for (const address of ['/models/post/1', '/models/tag/5', '/models/user/3', '/models/category/2']) {
        await page.goto(`/admin${address}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
      }
      await page.goto('/admin/')
      await page.locator('main .entry').first().waitFor()
    },
  },
  list: { at: '/models/post', show: rows },
  'list-dark': { at: '/models/post?filter=status%3Dpublished', scheme: 'dark', show: rows },
  'list-phone': { at: '/models/post', width: 390, height: 780, show: rows },
  form: { at: '/models/post/1', show: (page) => page.locator('form .field').first().waitFor() },
  palette: {
    at: '/models/post',
    show: async (page) => {
      await rows(page)
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog').getByRole('combobox').fill('light')
      await page.getByRole('dialog').getByRole('group', { name: 'Records' }).waitFor()
    },
  },
  delete: {
    at: '/models/post/1',
    show: async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).waitFor()
    },
  },
  drawer: {
    project: 'clinic',
    at: '/models/appointment/2?open=doctor.1',
    show: (page) => page.getByRole('dialog').locator('form .field').first().waitFor(),
  },
  totals: {
    project: 'clinic',
    at: '/models/invoice?filter=status%3Dpaid',
    show: async (page) => {
      await rows(page)
      await page.getByRole('button', { name: 'Totals' }).click()
      for (const name of ['Sum', 'Average']) await page.getByRole('checkbox', { name }).check()
      await page.keyboard.press('Escape')
      await page.locator('tfoot td').first().waitFor()
    },
  },
  import: {
    project: 'clinic',
    at: '/models/patient/import',
    show: async (page) => {
      const content = GERMAN_CSV.replace('31.12.1999', '31.02.1999')
      const file = { name: 'patients.csv', mimeType: 'text/csv', buffer: Buffer.from(content) }
      await page.locator('input[type=file]').setInputFiles(file)
      await page.getByRole('button', { name: 'Next' }).click()
      await page.getByRole('region', { name: 'First rows' }).waitFor()
      await page.getByRole('region', { name: 'First rows' }).scrollIntoViewIfNeeded()
    },
  },
  history: {
    at: '/models/post/2',
    show: async (page) => {
      await page.getByRole('tab', { name: 'History' }).click()
      await page.getByRole('tabpanel').getByText('draft').first().waitFor()
    },
  },
  permissions: {
    at: '/models/group/1?tab=access',
    show: async (page) => {
      await page.getByRole('tabpanel').locator('td input[type=checkbox]').first().waitFor()
    },
  },
}

/** The page is still when it neither loads, its icons included, nor moves. */
const IS_STILL = `document.querySelector('[aria-busy=true], .skeleton, .menu-link > .lucide-file') === null && document.getAnimations().every((each) => each.playState !== 'running')`

async function take(browser: Browser, address: string, name: string, picture: Picture): Promise<void> {
  const { project = 'blog', at, scheme = 'light', width = 1280, height = 800, show } = picture
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    baseURL: address,
    locale: 'en-GB',
    timezoneId: 'UTC',
  })
  try {
    await logIn(context, address, PROJECTS[project])
    await context.addInitScript({ content: LOGIN_HINT })
    const page = await context.newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(`/admin${at}`)
    await show(page)
    while (!(await page.evaluate(IS_STILL))) await page.waitForTimeout(50)
    const session = await context.newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
    await writeFile(join(TARGET, `${name}.webp`), Buffer.from(data, 'base64'))
  } finally {
    await context.close()
  }
}

/** Changes a record, so that it has a history. */
async function change(address: string): Promise<void> {
  const send = async (method: string, path: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) }
    const response = await fetch(`${address}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { readonly data?: { readonly access_token?: string }; readonly access_token?: string }
  }
  const answer = await send('POST', '/auth/token', PROJECTS.blog)
  const token = answer.access_token ?? answer.data?.access_token ?? ''
  await send('PUT', '/models/post/2', { data: { title: 'A draft' } }, token)
}

const start = (project: keyof typeof PROJECTS) =>
  startServer(['--project', join(ROOT, 'fixtures', project), '--ephemeral', '--no-rate-limit'])

const servers = { blog: await start('blog'), clinic: await start('clinic') }
const browser = await startChromium()
try {
  await rm(TARGET, { recursive: true, force: true })
  await mkdir(TARGET, { recursive: true })
  await change(servers.blog.address)
  for (const [name, picture] of Object.entries(PICTURES)) {
    await take(browser, servers[picture.project ?? 'blog'].address, name, picture)
    process.stdout.write(`docs/images/${name}.webp\n`)
  }
} finally {
  await browser.close()
  await Promise.all(Object.values(servers).map((server) => server.stop()))
}
