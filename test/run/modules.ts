import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compiledTest, compileTests } from '../helpers/compile.ts'
import { isBrowserTest, isPgliteTest, isPostgresTest, isSlow, type Selection } from './suites.ts'

/** Tests that take longest: each has a process of its own, and starts before the others. */
const LONGEST_TESTS = [
  'e2e/package.slow.test.ts',
  'browser/page/failures.test.ts',
  'browser/page/tour.test.ts',
  'store/embedded/files/compaction.slow.test.ts',
  'store/embedded/files/kill.slow.test.ts',
  'store/embedded/tables/planner.slow.test.ts',
  'transfer/large.slow.test.ts',
]

/** Test files that share a process, so that the application is loaded and compiled once for all of them. */
const FILES_PER_PROCESS = 20
/** The same of slow tests. */
const SLOW_FILES_PER_PROCESS = 4
/** The same of tests of PostgreSQL: fewer, since many of them wait for other processes. */
const POSTGRES_FILES_PER_PROCESS = 4
/** The same of tests in a browser, which take longer; they share a browser and what it has compiled. */
const BROWSER_FILES_PER_PROCESS = 5

const isLongest = (name: string): boolean => LONGEST_TESTS.includes(name)

/** Makes PostgreSQL the engine of the applications of tests. */
const ON_POSTGRES = `process.env.ADMIN_TEST_ENGINE = 'postgres'\n`

/**
 * Compiles test files, and writes modules that import several of them each, since node:test starts a process for every file that it is
 * given.
 *
 * @param folder of the tests
 * @param target folder for the modules
 * @returns the modules, those first that take longest
 */
export async function writeTestModules(folder: string, { names, onPostgres }: Selection, target: string): Promise<string[]> {
  await compileTests(folder, [...new Set([...names, ...onPostgres])], target)
  const engine = join(target, 'on-postgres.mjs')
  await writeFile(engine, ON_POSTGRES)
  const shared = names.filter((name) => !isLongest(name))
  const together = (name: string, size: number, tests: readonly string[], first: readonly string[] = []) =>
    writeBatches(
      join(target, name),
      size,
      tests.map((test) => compiledTest(test, target)),
      first,
    )
  return [
    ...names.filter(isLongest).map((name) => compiledTest(name, target)),
    ...(await together('slow', SLOW_FILES_PER_PROCESS, shared.filter(isSlow))),
    ...(await together('browser', BROWSER_FILES_PER_PROCESS, shared.filter(isBrowserTest))),
    ...(await together('postgres', POSTGRES_FILES_PER_PROCESS, shared.filter(isPostgresTest))),
    ...(await together('http-on-postgres', FILES_PER_PROCESS, onPostgres, [engine])),
    // Each process starts PGlite anew, which takes four seconds of CPU time.
    ...(await together('pglite', FILES_PER_PROCESS, shared.filter(isPgliteTest))),
    ...(await together(
      'batch',
      FILES_PER_PROCESS,
      shared.filter((name) => ![isSlow, isBrowserTest, isPostgresTest, isPgliteTest].some((isOther) => isOther(name))),
    )),
  ]
}

/**
 * Writes modules `<prefix>-<number>.mjs`.
 *
 * @param first what each of them imports before the tests
 */
async function writeBatches(prefix: string, size: number, tests: readonly string[], first: readonly string[]): Promise<string[]> {
  const count = Math.ceil(tests.length / size)
  const batches = Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}.mjs`)
  for (const [index, batch] of batches.entries()) {
    // Neighbouring files take equally long, so each process gets files from everywhere.
    const paths = [...first, ...tests.filter((_, at) => at % count === index)]
    await writeFile(batch, paths.map((path) => `import '${pathToFileURL(path)}'\n`).join(''))
  }
  return batches
}
