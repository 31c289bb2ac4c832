import { dirname, join } from 'node:path'
import type { ForkImageProcess } from '../images/image-process.ts'
import { ImageProcesses } from '../images/image-processes.ts'
import { Images } from '../images/images.ts'
import { ThumbnailCache } from '../images/thumbnail-cache.ts'
import type { Project } from '../project/project.ts'
import type { BlobStore } from '../store/blobs/blob-store.ts'
import type { Clock, Timer } from '../util/clock.ts'
import type { Random } from '../util/ids.ts'
import type { AppMode } from './dependencies.ts'
import { dataFolderOf } from './open-store.ts'

/** The images of an application. Thumbnails are kept in `data/cache`; without a data folder, beside what is received, for as long as the process runs. */
export function openImages(
  project: Project,
  mode: AppMode,
  {
    blobs,
    clock,
    random,
    timer,
    fork,
  }: {
    readonly blobs: BlobStore
    readonly clock: Clock
    readonly random: Random
    readonly timer: Timer
    readonly fork: ForkImageProcess | undefined
  },
): Images {
  const folder = mode === 'ephemeral' ? join(dirname(blobs.incoming), 'cache') : join(dataFolderOf(project), 'cache')
  return new Images(new ImageProcesses({ timer, fork }), new ThumbnailCache(folder, { clock, random }))
}
