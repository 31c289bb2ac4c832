// Runs the tests: `npm test`, `npm run test:slow`, `npm run test:browser`, `npm run test:postgres`, `npm run test:watch`, and `--all`, all suites.
// Arguments select files whose path contains one of them.
import { writeSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { CHROMIUM } from './helpers/chromium.ts'
import { type Cluster, startCluster } from './helpers/postgres/cluster.ts'
import { NO_POSTGRES } from './helpers/postgres/server.ts'

/** Time limit of one process, in milliseconds: of the slowest on a machine that is three times as slow as those of the developers. */
const TIMEOUT = 1_200_000

/** Test files that share a process, so that the application is loaded and compiled once for all of them. */
const FILES_PER_PROCESS = 20
/** The same of tests of PostgreSQL: fewer, since many of them wait for other processes. */
const POSTGRES_FILES_PER_PROCESS = 4

/** The same of tests in a browser, which take longer; they share a browser and what it has compiled. */
const BROWSER_FILES_PER_PROCESS = 5

/** Tests that take longest: each has a process of its own, and starts before the others. */
const LONGEST_TESTS = ['e2e/package.slow.test.ts', 'browser/failures.test.ts', 'browser/tour.test.ts']

const folder = import.meta.dirname
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    slow: { type: 'boolean', default: false },
    browser: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    http: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    'no-browser': { type: 'boolean', default: false },
    'all-variants': { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
  },
})

const isLongest = (name: string) => LONGEST_TESTS.includes(name)

const isSlow = (name: string) => name.endsWith('.slow.test.ts')

/** Folder of the tests of the admin page in Chromium. */
const isBrowserTest = (name: string) => name.startsWith('browser/')

/** Those of them that belong to the normal suite too: the page opens, and users log in. */
const QUICK_BROWSER_TESTS = ['browser/login.test.ts']

const isQuick = (name: string) => !isBrowserTest(name) || (QUICK_BROWSER_TESTS.includes(name) && !values['no-browser'])

/** Tests that need a server of PostgreSQL. */
const isPostgresTest = (name: string) => name.endsWith('.postgres.test.ts')

/** Tests of the API, which run on any engine: `--http` selects them, and `--postgres` is then where their records are. */
const isHttpTest = (name: string) => name.startsWith('http/') && !isPostgresTest(name)
if (values.http && values.postgres) process.env.ADMIN_TEST_ENGINE = 'postgres'

/** True if tests of PostgreSQL are run, many of which wait for processes that they start. */
const areWaiting = values.postgres && !values.http

/**
 * Test files of the chosen suite, by their paths below this folder. `*.slow.test.ts` belong to the slow one, `*.postgres.test.ts` to that
 * of PostgreSQL, all others in `http/` to that of the API, those in `browser/` to the browser's, which runs each in one of the variants of
 * the page or in all; `--no-browser` leaves these to it. `--all` chooses every suite. Arguments select files of any suite but the slow one
 * and that of PostgreSQL, with `--all` of these too.
 */
async function testFiles(): Promise<string[]> {
  const isMatching = (name: string) => positionals.length === 0 || positionals.some((part) => name.includes(part))
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith('.test.ts') && isMatching(name))
    .sort()
  if (values.all) return names
  return names
    .filter((name) => isSlow(name) === values.slow)
    .filter((name) => (values.http ? isHttpTest(name) : isPostgresTest(name) === values.postgres))
    .filter((name) => (values.browser ? isBrowserTest(name) : isQuick(name) || positionals.length > 0))
}

/** Writes modules that import several test files each, since node:test starts a process for every file that it is given. */
async function writeBatches(names: readonly string[], size: number, target: string, prefix: string): Promise<string[]> {
  const count = Math.ceil(names.length / size)
  const batches = Array.from({ length: count }, (_, index) => join(target, `${prefix}-${index + 1}.mjs`))
  for (const [index, batch] of batches.entries()) {
    // Neighbouring files take equally long, so each process gets files from everywhere.
    const imports = names.filter((_, at) => at % count === index).map((name) => `import '${pathToFileURL(join(folder, name))}'\n`)
    await writeFile(batch, imports.join(''))
  }
  return batches
}

/** Whether all tests in a browser are run, each in one of the variants of the page or in all. */
const needsBrowser = values.browser || values.all

/** Whether tests need a server of PostgreSQL: its suite, or others whose applications have their records there. */
const needsServer = values.postgres || values.all || process.env.ADMIN_TEST_ENGINE === 'postgres'

/** Starts a server for all processes of the tests, unless `ADMIN_TEST_POSTGRES` names one. */
async function serverForTests(): Promise<Cluster | undefined> {
  if (!needsServer || process.env.ADMIN_TEST_POSTGRES !== undefined) return undefined
  const cluster = await startCluster()
  process.env.ADMIN_TEST_POSTGRES = cluster.socketUrl
  return cluster
}

const names = await testFiles()
// A variable of the environment reaches the processes of the tests.
if (needsBrowser) process.env.ADMIN_TEST_VARIANTS = values['all-variants'] ? 'all' : 'varied'
if (needsBrowser && CHROMIUM === undefined) {
  process.stderr.write('NOT RUN: no Chromium; install it, or name it in CHROMIUM\n')
  process.exitCode = 1
} else if (needsServer && NO_POSTGRES !== undefined) {
  process.stderr.write('NOT RUN: no PostgreSQL; install it, or name a server in ADMIN_TEST_POSTGRES\n')
  process.exitCode = 1
} else if (names.length === 0) {
  process.stderr.write(`No test file matches ${positionals.join(', ')}\n`)
  process.exitCode = 1
} else {
  const cluster = await serverForTests()
  const target = await mkdtemp(join(tmpdir(), 'tests-'))
  const shared = names.filter((name) => !isSlow(name) && !isLongest(name))
  const batches = (chosen: (name: string) => boolean, size: number, prefix: string) =>
    writeBatches(shared.filter(chosen), size, target, prefix)
  const files = values.watch
    ? names.map((name) => join(folder, name))
    : [
        // First, since they take longest.
        ...names.filter(isLongest).map((name) => join(folder, name)),
        ...names.filter((name) => isSlow(name) && !isLongest(name)).map((name) => join(folder, name)),
        ...(await batches(isBrowserTest, BROWSER_FILES_PER_PROCESS, 'browser')),
        ...(await batches(isPostgresTest, POSTGRES_FILES_PER_PROCESS, 'postgres')),
        ...(await batches((name) => !isBrowserTest(name) && !isPostgresTest(name), FILES_PER_PROCESS, 'batch')),
      ]
  // More processes than cores, since some tests wait, and those of PostgreSQL for a server too.
  run({ files, concurrency: availableParallelism() + (areWaiting ? 2 : 1), timeout: TIMEOUT, watch: values.watch })
    .on('test:fail', ({ file, line }) => {
      process.exitCode = 1
      if (file !== undefined) process.stderr.write(`failed: ${relative(process.cwd(), file)}:${line ?? 1}\n`)
    })
    .on('close', () => {
      void rm(target, { recursive: true, force: true })
      void cluster?.stop()
    })
    .compose(new spec())
    .on('end', () => {
      if (CHROMIUM === undefined && names.some(isBrowserTest)) process.once('exit', () => writeSync(1, 'NOT RUN: no Chromium\n'))
    })
    .pipe(process.stdout)
}
