import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../config/settings.ts'
import { DEFAULT_TITLE } from '../project/site.ts'
import { apiRoots } from './paths.ts'
import { accepts } from './request.ts'

/** The Content-Security-Policy of the page and its assets: no inline script or style, nothing from another origin. */
export const ADMIN_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types workbook-worker',
].join('; ')

/** The line of `index.html` that receives the settings. The policy allows no inline script, so a meta element carries them. */
const SETTINGS_LINE = '<meta name="admin-settings" content="{}">'

/** Compressed files that the build writes beside a file where they are smaller, the preferred one first. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

type Encoding = (typeof ENCODINGS)[number]

/** The content of an asset as it is sent. */
export interface Asset {
  readonly content: Buffer
  /** Value of Content-Encoding; absent for the file itself. */
  readonly encoding?: Encoding['name']
}

/** The admin page as built into a folder, prepared for the settings of one application. Of the project it contains title, logo and accent colour only, which the login shows. */
export class AdminPage {
  /** The document: assets by absolute paths, since it is served at every path below its own. */
  readonly html: string
  /** Its entity tag, without quotes. */
  readonly tag: string
  readonly #folder: string
  /** The compressed forms of each asset. Only names in here are read from the disk. */
  readonly #assets: ReadonlyMap<string, readonly Encoding[]>

  private constructor(html: string, folder: string, names: readonly string[]) {
    const all = new Set(names)
    const plain = names.filter((name) => !ENCODINGS.some(({ suffix }) => name.endsWith(suffix)))
    this.html = html
    this.tag = createHash('sha256').update(html).digest('base64url').slice(0, 22)
    this.#folder = folder
    this.#assets = new Map(plain.map((name) => [name, ENCODINGS.filter(({ suffix }) => all.has(name + suffix))]))
  }

  /** Reads the page from a folder. Undefined if it was not built there. */
  static async open(folder: string, settings: Settings): Promise<AdminPage | undefined> {
    const assets = join(folder, 'assets')
    const index = await unlessMissing(readFile(join(folder, 'index.html'), 'utf8'))
    const names = await unlessMissing(readdir(assets))
    if (names === undefined || index?.includes(SETTINGS_LINE) !== true) return undefined
    return new AdminPage(prepared(index, settings), assets, names)
  }

  /**
   * Reads an asset, in a compressed form if the client accepts one.
   *
   * @param accepted value of Accept-Encoding
   * @returns undefined if there is no such asset
   */
  async asset(name: string, accepted?: string): Promise<Asset | undefined> {
    const forms = this.#assets.get(name)
    if (forms === undefined) return undefined
    const form = forms.find((each) => accepts(accepted, each.name))
    // A build may have replaced the files since the start.
    const content = await unlessMissing(readFile(join(this.#folder, name + (form?.suffix ?? ''))))
    if (content === undefined) return undefined
    return form === undefined ? { content } : { content, encoding: form.name }
  }
}

function prepared(index: string, settings: Settings): string {
  const { base_path, admin_path, api_version, ui } = settings
  const { docs, page } = apiRoots(settings)
  const metrics = settings.metrics !== 'off'
  const { title = DEFAULT_TITLE, logo, accent } = ui
  const content = escaped(JSON.stringify({ base_path, admin_path, api_version, docs, metrics, title, logo, accent }))
  // Functions, since `$` has a meaning in a replacement text.
  return index
    .replaceAll('./assets/', () => `${page}assets/`)
    .replace(SETTINGS_LINE, () => SETTINGS_LINE.replace('{}', () => content))
}

/** Escapes a text for an attribute in double quotes. */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
