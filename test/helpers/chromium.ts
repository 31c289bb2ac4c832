import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Path of the browser of this machine: that of the environment variable CHROMIUM, or an installed one; undefined without one. */
export const CHROMIUM: string | undefined = process.env.CHROMIUM || PATHS.find((path) => existsSync(path))

/** The option `skip` of tests that need a browser. */
export const WITHOUT_CHROMIUM = CHROMIUM === undefined ? 'no Chromium; install it, or name it in CHROMIUM' : false

/** Starts the browser, which connects to this machine only. Pages of one context share a process, and so their compiled scripts. */
export function startChromium(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('There is no Chromium')
  const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']
  const shared = ['--process-per-site', '--renderer-process-limit=1']
  return chromium.launch({ executablePath: CHROMIUM, args: [...args, ...shared, '--disable-component-update', '--disable-sync'] })
}
