import type { FileRules, ThumbnailRecipe } from '../model/files.ts'

/** The part of the rules of a field that the image process judges a file by, as plain data. */
export type InspectionRules = Pick<FileRules, 'isImage' | 'accept' | 'minWidth' | 'minHeight' | 'maxPixels' | 'keepsMetadata'>

/** Finds the type of a file. Of an image also its size, a copy without metadata, and its preview. */
export interface InspectJob {
  readonly kind: 'inspect'
  readonly path: string
  readonly rules: InspectionRules
  /** Path of the copy without metadata, if the image has some. */
  readonly stripped: string
  /** Where a thumbnail of an image is written. */
  readonly preview: { readonly path: string; readonly recipe: ThumbnailRecipe } | undefined
}

/** Makes a thumbnail of an image. */
export interface ThumbnailJob {
  readonly kind: 'thumbnail'
  readonly path: string
  readonly target: string
  readonly recipe: ThumbnailRecipe
  readonly maxPixels: number
}

/** Work of the image process, as plain data. */
export type ImageJob = InspectJob | ThumbnailJob

/** What the image process found. */
export interface ImageJobResult {
  /** The media type of an inspected file. */
  readonly type?: string
  /** The size of an inspected image, as displayed, and its number of frames. */
  readonly image?: { readonly width: number; readonly height: number; readonly frames: number }
  /** Size and hash of the copy without metadata, if there is one. */
  readonly stripped?: { readonly size: number; readonly sha256: string }
}

/** The end of a job. */
export type JobOutcome =
  | { readonly kind: 'done'; readonly result: ImageJobResult }
  /** The file is refused, in words that follow the name of its field. */
  | { readonly kind: 'refused'; readonly problem: string }
  /** Images cannot be read here. */
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'failed'; readonly message: string; readonly code: string | undefined }

/** What the image process answers. */
export interface JobAnswer {
  readonly outcome: JobOutcome
  /** Memory of the process after the job, in bytes. */
  readonly memory: number
}
