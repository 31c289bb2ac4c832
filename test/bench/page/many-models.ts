import type { Browser } from 'playwright-core'
import { type Figure, median } from '../results/figures.ts'
import { type BenchSite, timeOfLoad, withPage } from './browser.ts'
import { FIELDS, GENERATED_MODEL, MODELS } from './projects.ts'

const RATIO = 1.5
const RUNS = 7

/** Times until something is open, in milliseconds. */
interface Times {
  readonly menu: number
  readonly list: number
  readonly form: number
}

const MODEL_LINKS = `document.querySelectorAll('.menu-nav a[href*="/models/"]').length`

/** Compares menu, list and form of a project of many models with those of the fixture. */
export async function manyModelsFigures(browser: Browser, blog: BenchSite, many: BenchSite): Promise<Figure[]> {
  const [ours, fixture]: [Times[], Times[]] = [[], []]
  for (let run = 0; run < RUNS; run++) {
    fixture.push(await timesOf(browser, blog, { key: 'post', links: 3, fields: 8 }))
    ours.push(await timesOf(browser, many, { key: GENERATED_MODEL, links: MODELS, fields: FIELDS - 5 }))
  }
  return (['menu', 'list', 'form'] as const).map((part): Figure => {
    const [time, baseline] = [median(ours.map((each) => each[part])), median(fixture.map((each) => each[part]))]
    const name = `${part} with ${MODELS} models of ${FIELDS} fields, beside the fixture`
    return { bench: 'ui', name, unit: 'ms', ours: time, baseline, ratio: time / baseline, bar: { is: 'at most', ratio: RATIO } }
  })
}

/** What a project shows at least. */
interface Expected {
  /** Key of the model whose list and form are opened. */
  readonly key: string
  readonly links: number
  readonly fields: number
}

function timesOf(browser: Browser, site: BenchSite, { key, links, fields }: Expected): Promise<Times> {
  return withPage(browser, site, async (page) => {
    const menu = await timeOfLoad(page, '/admin/', `${MODEL_LINKS} >= ${links}`)
    const list = await timeOfLoad(page, `/admin/models/${key}`, `document.querySelectorAll('tbody tr').length >= 25`)
    const form = await timeOfLoad(
      page,
      `/admin/models/${key}/1`,
      `document.querySelectorAll('form.form .field').length >= ${fields}`,
    )
    return { menu, list, form }
  })
}
