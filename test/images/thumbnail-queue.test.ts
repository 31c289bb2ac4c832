import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { test } from 'node:test'
import { IMAGE_LIMITS, ImageProcesses } from '../../src/images/image-processes.ts'
import { Images } from '../../src/images/images.ts'
import { ThumbnailCache } from '../../src/images/thumbnail-cache.ts'
import { systemTimer } from '../../src/util/clock.ts'
import { systemRandom } from '../../src/util/ids.ts'
import { temporaryFolder } from '../helpers/fixture.ts'
import { PREVIEW_RECIPE } from './pictures.ts'

test('bytes are copied for a thumbnail that a process makes now, not for one that waits or is refused', async () => {
  await using folder = await temporaryFolder()
  const limits = { ...IMAGE_LIMITS, processes: 1, waiting: 1 }
  const processes = new ImageProcesses({
    timer: systemTimer,
    fork: () => fork(new URL('scripted-worker.mjs', import.meta.url)),
    limits,
  })
  const images = new Images(processes, new ThumbnailCache(folder.path, { clock: Date.now, random: systemRandom }))
  const opened: string[] = []
  const thumbnail = (name: string, begin = () => {}) =>
    images.thumbnail({ sha256: name.repeat(64), recipe: PREVIEW_RECIPE, maxPixels: 1 }, async () => {
      opened.push(name)
      begin()
      return '/nowhere/hang'
    })
  const all: Promise<unknown>[] = []
  await new Promise<void>((resolve) => all.push(thumbnail('a', resolve)))
  const others = [thumbnail('b'), thumbnail('c')]
  all.push(...others)
  await assert.rejects(Promise.race(others), { code: 'IMAGES_BUSY' })
  assert.deepEqual(opened, ['a'])
  images.close()
  await Promise.allSettled(all)
})
