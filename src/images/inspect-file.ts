import { open } from 'node:fs/promises'
import { brokenSides, typeRefusal } from '../model/file-limits.ts'
import { DecoderMissing, makeThumbnail, readHeader } from './decoder.ts'
import { detectType, SAMPLE_BYTES } from './file-types.ts'
import type { ImageJobResult, InspectJob, ThumbnailJob } from './image-jobs.ts'
import { MalformedImage } from './metadata/byte-source.ts'
import { stripMetadata } from './metadata/strip-metadata.ts'

/** A file that its field does not take. The message follows the name of the field. */
export class RefusedFile extends Error {
  constructor(problem: string, options?: { cause?: unknown }) {
    super(problem, options)
    this.name = 'RefusedFile'
  }
}

/** Finds the type of a file, and reads an image. @throws {RefusedFile}, {DecoderMissing} */
export async function inspectFile({ path, rules, stripped, preview }: InspectJob): Promise<ImageJobResult> {
  const type = await detectType(await sampleOf(path))
  const refusal = typeRefusal(type, rules)
  if (refusal !== undefined) throw new RefusedFile(refusal)
  if (!rules.isImage) return { type }
  const header = await readable(readHeader(path))
  const broken = brokenSides(rules, header)
  if (broken !== undefined) throw new RefusedFile(broken)
  const copy = rules.keepsMetadata ? undefined : await readable((async () => stripMetadata(path, type, stripped))())
  const final = copy === undefined ? path : stripped
  // What the image is like is said of the file that is kept.
  const image = copy === undefined ? header : await readable(readHeader(final))
  if (preview !== undefined) await readable(makeThumbnail(final, preview.path, preview.recipe, rules.maxPixels))
  return { type, image, ...(copy === undefined ? {} : { stripped: copy }) }
}

/** Makes a thumbnail. @throws {RefusedFile}, {DecoderMissing} */
export const writeThumbnail = ({ path, target, recipe, maxPixels }: ThumbnailJob): Promise<void> =>
  readable(makeThumbnail(path, target, recipe, maxPixels))

async function sampleOf(path: string): Promise<Buffer> {
  const file = await open(path)
  try {
    const sample = Buffer.alloc(SAMPLE_BYTES)
    let filled = 0
    for (let count = -1; count !== 0 && filled < sample.length; filled += count) {
      count = (await file.read(sample, filled, sample.length - filled, filled)).bytesRead
    }
    return sample.subarray(0, filled)
  } finally {
    await file.close()
  }
}

/** Waits for a step that reads an image. A step that fails because of the image refuses it; failures of the disk are none of the image. */
async function readable<T>(step: Promise<T>): Promise<T> {
  try {
    return await step
  } catch (error) {
    const isOfSystem = !(error instanceof MalformedImage) && error instanceof Error && 'code' in error
    if (error instanceof DecoderMissing || isOfSystem) throw error
    throw new RefusedFile('must be an image that can be read: the file is damaged or incomplete', { cause: error })
  }
}
