import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { ImageJob, JobAnswer } from '../../src/images/image-jobs.ts'
import { forkImageProcess } from '../../src/images/image-process.ts'
import { ImageProcesses } from '../../src/images/image-processes.ts'
import { Images } from '../../src/images/images.ts'
import { ThumbnailCache } from '../../src/images/thumbnail-cache.ts'
import { systemTimer } from '../../src/util/clock.ts'
import { systemRandom } from '../../src/util/ids.ts'
import { ROOT, temporaryFolder } from '../helpers/fixture.ts'
import { encoded, fileOf, fileRules, imageRules, PREVIEW_RECIPE } from './pictures.ts'

/** Sends a job. @returns the answer */
async function answerOf(child: ChildProcess, job: ImageJob): Promise<JobAnswer> {
  child.send(job)
  const [answer] = await once(child, 'message')
  return answer as JobAnswer
}

const inspection = (path: string): ImageJob => ({ kind: 'inspect', path, rules: fileRules(), stripped: '', preview: undefined })

const NOT_LINUX = existsSync('/proc/self/environ') ? false : 'only Linux shows what a process has'

test('the image process gets no secret of the server, and none of its connections', { skip: NOT_LINUX }, async () => {
  await using folder = await temporaryFolder()
  process.env.ADMIN_TEST_IMAGE_SECRET = 'secret of the server'
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const child = forkImageProcess()
  try {
    await answerOf(child, inspection(await fileOf(folder, 'Hello')))
    const environment = readFileSync(`/proc/${child.pid}/environ`, 'utf8')
    const names = environment.split('\0').flatMap((entry) => entry.split('=')[0] || [])
    assert.deepEqual(
      names.filter((name) => !/^(NODE_CHANNEL_.*|TMPDIR|TEMP|TMP)$/.test(name)),
      [],
    )
    const own = new Set(handlesOf('self').filter((handle) => handle.startsWith('socket:')))
    const shared = handlesOf(String(child.pid)).filter((handle) => own.has(handle))
    assert.deepEqual(shared, [])
  } finally {
    delete process.env.ADMIN_TEST_IMAGE_SECRET
    child.kill('SIGKILL')
    server.close()
  }
})

function handlesOf(process: string): readonly string[] {
  const folder = `/proc/${process}/fd`
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))]
    } catch {
      return []
    }
  })
}

test('the image process ends with the server', async () => {
  await using folder = await temporaryFolder()
  const child = forkImageProcess()
  await answerOf(child, inspection(await fileOf(folder, 'Hello')))
  child.disconnect()
  await once(child, 'exit')
})

test('a file that is gone is a failure with the code of the system, not a fault of the file', async () => {
  await using folder = await temporaryFolder()
  const child = forkImageProcess()
  try {
    const rules = imageRules()
    const gone = { kind: 'inspect', path: join(folder.path, 'gone'), rules, stripped: '', preview: undefined } as const
    const { outcome } = await answerOf(child, gone)
    assert.ok(outcome.kind === 'failed')
    assert.equal(outcome.code, 'ENOENT')
    const target = join(folder.path, 'no folder', 'thumbnail')
    const path = await fileOf(folder, await encoded('png'))
    const unwritten = await answerOf(child, { kind: 'thumbnail', path, target, recipe: PREVIEW_RECIPE, maxPixels: 1e6 })
    assert.ok(unwritten.outcome.kind === 'failed')
    assert.equal(unwritten.outcome.code, 'ENOENT')
  } finally {
    child.kill('SIGKILL')
  }
})

/** An image process of an installation without optional dependencies. */
function forkWithoutSharp(): ChildProcess {
  const resolve = `export const resolve=async(name,context,next)=>{if(name==='sharp')throw new Error('there is no sharp');return next(name,context)}`
  const register = `import{register}from'node:module';register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(resolve)}`)})`
  const execArgv = ['--import', import.meta.resolve('tsx'), '--import', `data:text/javascript,${encodeURIComponent(register)}`]
  return fork(join(ROOT, 'src/images/image-worker.ts'), [], { execArgv, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
}

test('without sharp, files are inspected, and images answer how to install it', async () => {
  await using folder = await temporaryFolder()
  const processes = new ImageProcesses({ timer: systemTimer, fork: forkWithoutSharp })
  const images = new Images(processes, new ThumbnailCache(join(folder.path, 'cache'), { clock: Date.now, random: systemRandom }))
  try {
    const file = { path: await fileOf(folder, await encoded('png')), size: 1, sha256: 'a'.repeat(64) }
    assert.equal((await images.inspect(file, fileRules(['image/png']))).type, 'image/png')
    const failure = { code: 'IMAGES_UNAVAILABLE', status: 503, message: /run `npm install sharp`$/ }
    await assert.rejects(images.inspect(file, imageRules()), failure)
    const request = { sha256: file.sha256, recipe: PREVIEW_RECIPE, maxPixels: 1 }
    await assert.rejects(
      images.thumbnail(request, async () => file.path),
      failure,
    )
    // A file that is refused anyway needs no decoder.
    const text = { ...file, path: await fileOf(folder, 'Hello', 'text') }
    await assert.rejects(images.inspect(text, imageRules()), { message: /not text$/ })
  } finally {
    images.close()
  }
})
