import type { PreferenceStore } from './preferences.ts'

/** What the page knows before a login: where the server has its parts, and how the project looks. The server writes it into the page. */
export interface PageSettings {
  /** The path that all parts have in common; empty or `/journal`. */
  readonly base_path: string
  /** Path of the page and of the views, below `base_path`. */
  readonly admin_path: string
  readonly api_version: string
  /** Path of the documentation of the API. */
  readonly docs: string
  /** False if the settings turn `/metrics` off. */
  readonly metrics: boolean
  /** Title of the project. */
  readonly title: string
  /** Address of its logo. */
  readonly logo?: string
  /** Its colour, which stands in place of the page's own. */
  readonly accent?: string
}

/** Those of a server without settings; the development server of the page uses them. */
const DEFAULTS: PageSettings = {
  base_path: '',
  admin_path: '/admin',
  api_version: 'v1',
  docs: '/docs',
  metrics: true,
  title: 'Admin',
}

/** Reads the settings from the page's `<meta name="admin-settings">`. */
export function readPageSettings(page: Document): PageSettings {
  const text = page.querySelector<HTMLMetaElement>('meta[name="admin-settings"]')?.content ?? '{}'
  return { ...DEFAULTS, ...(JSON.parse(text) as Partial<PageSettings>) }
}

/**
 * False if the browser has no session of this page for sure: a visitor is not asked for one of the server. A browser that keeps nothing
 * may have one.
 */
export const mayHaveSession = (preferences: PreferenceStore): boolean =>
  !preferences.isKept || preferences.get('hasSession') === true
