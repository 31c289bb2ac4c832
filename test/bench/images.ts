import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import sharp from 'sharp'
import { ImageProcesses } from '../../src/images/image-processes.ts'
import { Images } from '../../src/images/images.ts'
import { ThumbnailCache } from '../../src/images/thumbnail-cache.ts'
import { systemTimer } from '../../src/util/clock.ts'
import { systemRandom } from '../../src/util/ids.ts'
import { type TemporaryFolder, temporaryFolder } from '../helpers/fixture.ts'
import { type Figure, failureOf, limitedFigure, median, type Result } from './results/figures.ts'
import { say } from './results/report.ts'

/** Requests for thumbnails at the same time. */
const AT_ONCE = 8
const RUNS = 5
/** Thumbnails of a run. */
const THUMBNAILS = 60
const SPEED_BAR = { is: 'at least', ratio: 0.85 } as const

/** Thumbnails after which the memory of this process is compared, and how much it may have grown, in bytes. */
const MANY = 1000
const MAX_GROWTH = 16 * 1024 * 1024

const RECIPE = { width: 640, height: 360, fit: 'cover', format: 'webp' } as const

/** Compares thumbnails to those of sharp alone with as many jobs at once, and the memory of the server before and after many of them. */
export async function imagesBench(): Promise<Result[]> {
  await using folder = await temporaryFolder()
  const photo = await makePhoto(folder, 3000, 2000)
  const small = await makePhoto(folder, 300, 200)
  const images = new Images(
    new ImageProcesses({ timer: systemTimer }),
    new ThumbnailCache(join(folder.path, 'cache'), { clock: Date.now, random: systemRandom }),
  )
  const benches: Readonly<Record<string, (name: string) => Promise<Figure>>> = {
    'thumbnails of a photo of 6 megapixels, beside sharp alone': (name) => speed(name, images, photo, folder),
    [`memory of the server after ${MANY} thumbnails`]: (name) => growth(name, images, small),
  }
  const results: Result[] = []
  try {
    for (const [name, bench] of Object.entries(benches)) {
      say(`images: ${name}`)
      results.push(await bench(name).catch((error: unknown) => failureOf({ bench: 'images', name }, error)))
    }
  } finally {
    images.close()
  }
  return results
}

async function speed(name: string, images: Images, path: string, folder: TemporaryFolder): Promise<Figure> {
  const alone = fork(join(import.meta.dirname, 'processes/sharp-alone.mjs'), [], { execArgv: [] })
  try {
    // Both are started and have their code compiled.
    await makeThumbnails(images, path, AT_ONCE)
    await timeAlone(alone, { path, target: join(folder.path, 'warm'), count: AT_ONCE })
    const ours: number[] = []
    const bare: number[] = []
    for (let run = 0; run < RUNS; run++) {
      const begin = performance.now()
      await makeThumbnails(images, path, THUMBNAILS)
      ours.push((THUMBNAILS * 1000) / (performance.now() - begin))
      const target = join(folder.path, `alone-${run}`)
      bare.push((THUMBNAILS * 1000) / (await timeAlone(alone, { path, target, count: THUMBNAILS })))
    }
    const [figure, baseline] = [median(ours), median(bare)]
    return { bench: 'images', name, unit: 'thumbnails/s', ours: figure, baseline, ratio: figure / baseline, bar: SPEED_BAR }
  } finally {
    alone.kill()
  }
}

async function growth(name: string, images: Images, path: string): Promise<Figure> {
  await makeThumbnails(images, path, AT_ONCE)
  const before = process.memoryUsage.rss()
  await makeThumbnails(images, path, MANY)
  const ours = Math.max(0, process.memoryUsage.rss() - before)
  return limitedFigure({ bench: 'images', name, unit: 'bytes', ours }, MAX_GROWTH)
}

let made = 0

/** Makes a number of thumbnails of one file, each as of another image. */
async function makeThumbnails(images: Images, path: string, count: number): Promise<void> {
  let left = count
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const sha256 = (made++).toString(16).padStart(64, '0')
      await images.thumbnail({ sha256, recipe: RECIPE, maxPixels: 1e8 }, async () => path)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function timeAlone(
  alone: ChildProcess,
  task: { readonly path: string; readonly target: string; readonly count: number },
): Promise<number> {
  alone.send(task)
  const [milliseconds] = await once(alone, 'message')
  return Number(milliseconds)
}

/** A photo: noise that is blurred, so that it is as large in JPEG as photos are. */
async function makePhoto(folder: TemporaryFolder, width: number, height: number): Promise<string> {
  const path = join(folder.path, `${width}.jpeg`)
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  await sharp({ create: { width, height, channels: 3, background: 'gray', noise } })
    .blur(1.5)
    .jpeg()
    .toFile(path)
  return path
}
