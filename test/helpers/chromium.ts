import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** The shell has no windows, which costs half the time to start; the others are run without showing theirs. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** Path of the browser of this machine: that of the environment variable CHROMIUM, otherwise one in PATH; undefined without one. */
export const CHROMIUM: string | undefined = findChromium(process.env)

function findChromium({ CHROMIUM: named, PATH = '' }: NodeJS.ProcessEnv): string | undefined {
  const folders = PATH.split(delimiter).filter((folder) => folder !== '')
  const paths = named ? [named] : NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return paths.find((path) => existsSync(path))
}

/** The option `skip` of tests that need a browser. */
export const WITHOUT_CHROMIUM = CHROMIUM === undefined ? 'no Chromium; install it, or name it in CHROMIUM' : false

/** Starts the browser, which connects to this machine only. Pages of one context share a process, and so their compiled scripts. */
export function startChromium(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('There is no Chromium')
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']
  const shared = ['--process-per-site', '--renderer-process-limit=1']
  return chromium.launch({ executablePath: CHROMIUM, args: [...args, ...shared, '--disable-component-update', '--disable-sync'] })
}
