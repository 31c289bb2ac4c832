import { readdir } from 'node:fs/promises'

/** Which suites are run; the normal one without any. */
export interface Suites {
  readonly slow: boolean
  readonly browser: boolean
  readonly postgres: boolean
  readonly all: boolean
  /** Leaves all tests in a browser to their suite. */
  readonly 'no-browser': boolean
  /** Leaves the slow suite out of all suites. */
  readonly 'no-slow': boolean
}

/** Test files, by their paths below the folder of the tests. */
export interface Selection {
  readonly names: readonly string[]
  /** Files that run, in this suite or again, with the records of their applications on PostgreSQL. */
  readonly onPostgres: readonly string[]
}

/** Files of the suite of the browser that belong to the normal one too: the page opens, and users log in. */
const QUICK_BROWSER_TESTS = ['browser/session/login.test.ts']

export const isSlow = (name: string): boolean => name.endsWith('.slow.test.ts')

/** Tests of the admin page in Chromium. */
export const isBrowserTest = (name: string): boolean => name.startsWith('browser/')

/** Tests that need a server of PostgreSQL. */
export const isPostgresTest = (name: string): boolean => name.endsWith('.postgres.test.ts')

/** Tests with PostgreSQL in their own process, by PGlite. */
export const isPgliteTest = (name: string): boolean => name.endsWith('.pglite.test.ts')

/** Tests of the API, which run on any engine. */
const isHttpTest = (name: string): boolean =>
  name.startsWith('http/') && !isPostgresTest(name) && !isPgliteTest(name) && !isSlow(name)

/**
 * The test files of the chosen suites. `*.slow.test.ts` belong to the slow one, `*.postgres.test.ts` and the tests of the API to that of
 * PostgreSQL, those in `browser/` to the browser's, all but the first to the normal one.
 *
 * @param folder of the tests
 * @param parts select files whose path contains one of them, in the normal suite those of the browser too; all if empty
 */
export async function selectTests(folder: string, suites: Suites, parts: readonly string[]): Promise<Selection> {
  const found = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))
    .sort()
  const onPostgres = suites.postgres || suites.all ? found.filter(isHttpTest) : []
  if (suites.all) return { names: found.filter((name) => !(suites['no-slow'] && isSlow(name))), onPostgres }
  const isQuick = (name: string) => !isBrowserTest(name) || (QUICK_BROWSER_TESTS.includes(name) && !suites['no-browser'])
  const names = found
    .filter((name) => isSlow(name) === suites.slow && isPostgresTest(name) === suites.postgres)
    .filter((name) => (suites.browser ? isBrowserTest(name) : isQuick(name) || parts.length > 0))
  return { names, onPostgres }
}
