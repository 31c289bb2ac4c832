import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { browserCommand, openBrowser } from '../../src/cli/io.ts'

const ADDRESS = 'http://127.0.0.1:8000/admin/?a=1&b=$(id)'

describe('the default browser', () => {
  let alive: NodeJS.Timeout
  // The started program does not keep this process alive.
  before(() => {
    alive = setInterval(() => {}, 1000)
  })
  after(() => clearInterval(alive))

  test('is opened by a program of the platform, with the address as one argument', () => {
    assert.deepEqual(browserCommand(ADDRESS, 'linux'), ['xdg-open', ADDRESS])
    assert.deepEqual(browserCommand(ADDRESS, 'freebsd'), ['xdg-open', ADDRESS])
    assert.deepEqual(browserCommand(ADDRESS, 'darwin'), ['open', ADDRESS])
    assert.deepEqual(browserCommand(ADDRESS, 'win32'), ['rundll32', 'url.dll,FileProtocolHandler', ADDRESS])
  })

  const run = (script: string) => openBrowser(ADDRESS, 'linux', (address) => [process.execPath, '-e', script, address])

  test('gets the address without a shell', () => run(`process.exitCode = process.argv[1] === '${ADDRESS}' ? 0 : 1`))

  test('that cannot be opened is reported in one line with the address', async () => {
    const { message } = await run('process.exit(3)').then(
      () => assert.fail('it must fail'),
      (error: Error) => error,
    )
    assert.equal(message, `No browser could be opened (${process.execPath} ended with 3); open ${ADDRESS} yourself`)
  })

  test('whose program is not installed is reported in one line with the address', () =>
    assert.rejects(
      openBrowser(ADDRESS, 'linux', (address) => ['/nonexistent/xdg-open', address]),
      { message: `No browser could be opened (spawn /nonexistent/xdg-open ENOENT); open ${ADDRESS} yourself` },
    ))
})
