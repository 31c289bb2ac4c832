// Runs the tests: `npm test`, `npm run test:slow`, `npm run test:browser`, `npm run test:postgres`, `npm run test:watch`; `--all` all suites,
// `--all --no-slow` those of each change. Arguments select files whose path contains one of them.
import { rmSync, writeSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { CHROMIUM } from './helpers/chromium.ts'
import { COMPILED } from './helpers/compile.ts'
import { type Cluster, startCluster } from './helpers/postgres/cluster.ts'
import { NO_POSTGRES } from './helpers/postgres/server.ts'
import { writeTestModules } from './run/modules.ts'
import { isBrowserTest, type Selection, selectTests } from './run/suites.ts'

/** Time limit of one process, in milliseconds: of the slowest on a machine that is three times as slow as those of the developers. */
const TIMEOUT = 1_200_000
/** The same where each test runs in all variants of the page. */
const TIMEOUT_OF_VARIANTS = 6 * TIMEOUT

/**
 * Most code of tests runs a few times, so V8 begins to optimize a function after six times the usual work, which takes about 6 % less CPU
 * time. Only the V8 of Node.js 20 has this option.
 */
const OPTIMIZE_LATER = process.version.startsWith('v20.') ? ['--interrupt-budget=400000'] : []

/** Exit code of a process that SIGINT ends, by the convention of shells. */
const INTERRUPTED = 130

const folder = import.meta.dirname
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    slow: { type: 'boolean', default: false },
    browser: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    'no-browser': { type: 'boolean', default: false },
    'no-slow': { type: 'boolean', default: false },
    'all-variants': { type: 'boolean', default: false },
    watch: { type: 'boolean', default: false },
  },
})

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

/** The reason why the tests cannot run; undefined if they can. */
function obstacle({ names, onPostgres }: Selection): string | undefined {
  if (needsBrowser && CHROMIUM === undefined) return 'NOT RUN: no Chromium; install it, or name it in CHROMIUM'
  if (needsServer && NO_POSTGRES !== undefined)
    return 'NOT RUN: no PostgreSQL; install it, or name a server in ADMIN_TEST_POSTGRES'
  return names.length + onPostgres.length === 0 ? `No test file matches ${positionals.join(', ')}` : undefined
}

/** Compiles the tests into a folder that this process removes at its end. */
async function compiledModules(selection: Selection): Promise<string[]> {
  await mkdir(COMPILED, { recursive: true })
  const target = await mkdtemp(join(COMPILED, 'tests-'))
  process.once('exit', () => rmSync(target, { recursive: true, force: true }))
  process.once('SIGINT', () => process.exit(INTERRUPTED))
  // Their processes need no loader of TypeScript, and would inherit it.
  process.execArgv = ['--enable-source-maps', ...OPTIMIZE_LATER]
  return writeTestModules(folder, selection, target)
}

async function runTests(selection: Selection): Promise<void> {
  // A variable of the environment reaches the processes of the tests.
  if (needsBrowser) process.env.ADMIN_TEST_VARIANTS = values['all-variants'] ? 'all' : 'varied'
  const cluster = await serverForTests()
  const files = values.watch ? selection.names.map((name) => join(folder, name)) : await compiledModules(selection)
  // More processes than cores, since some tests wait, and those of PostgreSQL for a server too.
  const timeout = values['all-variants'] ? TIMEOUT_OF_VARIANTS : TIMEOUT
  run({ files, concurrency: availableParallelism() + (needsServer ? 2 : 1), timeout, watch: values.watch })
    .on('test:fail', ({ file, line }) => {
      process.exitCode = 1
      if (file !== undefined) process.stderr.write(`failed: ${relative(process.cwd(), file)}:${line ?? 1}\n`)
    })
    .on('close', () => void cluster?.stop())
    .compose(new spec())
    .on('end', () => {
      const isMissed = CHROMIUM === undefined && selection.names.some(isBrowserTest)
      if (isMissed) process.once('exit', () => writeSync(1, 'NOT RUN: no Chromium\n'))
    })
    .pipe(process.stdout)
}

const selection = await selectTests(folder, values, positionals)
const reason = obstacle(selection)
if (reason === undefined) await runTests(selection)
else {
  process.stderr.write(`${reason}\n`)
  process.exitCode = 1
}
