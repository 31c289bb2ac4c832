import Joi from 'joi'
import { sizeSchema } from '../config/size-schema.ts'
import { parseBytes } from '../util/bytes.ts'
import type { FieldDefinition, ThumbnailDefinition } from './definition.ts'
import { type FileRules, IMAGE_TYPES, PREVIEW, type ThumbnailRecipe } from './files.ts'

/** Maximum length of a side of a thumbnail, in pixels. */
const MAX_SIDE = 4096
/** Maximum number of thumbnails of a field, beside the preview. */
const MAX_THUMBNAILS = 10
/** Maximum number of files of a field. */
const MAX_FILES = 100
const DEFAULT_MAX_FILES = 20
const DEFAULT_MAX_PIXELS = 50_000_000

const side = Joi.number().integer().min(1).max(MAX_SIDE)

const SIDES = /^(\d{1,5})?x(\d{1,5})?$/

const sides = Joi.string()
  .custom((text: string, helpers) => {
    const [, width, height] = SIDES.exec(text) ?? []
    const given = [width, height].flatMap((each) => (each === undefined ? [] : [Number(each)]))
    return given.length > 0 && given.every((each) => each >= 1 && each <= MAX_SIDE) ? text : helpers.error('sides.form')
  })
  .messages({
    'sides.form': `'{{#value}}' is no size of a thumbnail; write WIDTHxHEIGHT, WIDTHx or xHEIGHT in pixels, each side at most ${MAX_SIDE}`,
  })

const thumbnail = Joi.alternatives().conditional(Joi.object(), {
  // biome-ignore lint/suspicious/noThenProperty: the name is Joi's.
  then: Joi.object({
    width: side,
    height: side,
    fit: Joi.valid('cover', 'inside'),
    format: Joi.valid('webp', 'jpeg', 'png'),
    quality: Joi.number().integer().min(1).max(100),
  })
    .or('width', 'height')
    .messages({ 'object.missing': '{{#label}} must have a width, a height or both' }),
  otherwise: sides,
})

const MEDIA_TYPE = /^[a-z]+\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/

/** Schemas of the options of file fields. */
export const FILE_OPTION_SCHEMAS = {
  multiple: Joi.boolean(),
  max_files: Joi.number().integer().min(1).max(MAX_FILES),
  max_size: sizeSchema(),
  accept: Joi.array()
    .items(
      Joi.string()
        .pattern(MEDIA_TYPE)
        .messages({ 'string.pattern.base': "'{{#value}}' is no media type; write one such as application/pdf or image/*" }),
    )
    .min(1)
    .unique(),
  thumbnails: Joi.object()
    .pattern(
      Joi.string()
        .pattern(/^[a-z][a-z0-9_]*$/)
        .invalid(PREVIEW),
      thumbnail,
    )
    .max(MAX_THUMBNAILS)
    .messages({
      'object.unknown': `{{#label}} cannot be the name of a thumbnail; use lower-case letters, digits and underscores, and not '${PREVIEW}', which every image has`,
      'object.max': `An image field has at most ${MAX_THUMBNAILS} thumbnails`,
    }),
  min_width: Joi.number().integer().min(1),
  min_height: Joi.number().integer().min(1),
  max_pixels: Joi.number().integer().min(1),
  metadata: Joi.valid('strip', 'keep'),
} as const

/** What a file field accepts; undefined for other types. */
export function fileRules(definition: FieldDefinition): FileRules | undefined {
  const { type, multiple = false, max_size: maxSize } = definition
  if (type !== 'file' && type !== 'image') return undefined
  const isImage = type === 'image'
  return {
    isImage,
    maxFiles: multiple ? (definition.max_files ?? DEFAULT_MAX_FILES) : 1,
    maxSize: parseBytes(maxSize),
    accept: definition.accept ?? (isImage ? IMAGE_TYPES : undefined),
    thumbnails: isImage ? recipes(definition.thumbnails ?? {}) : new Map(),
    minWidth: definition.min_width,
    minHeight: definition.min_height,
    maxPixels: definition.max_pixels ?? DEFAULT_MAX_PIXELS,
    keepsMetadata: definition.metadata === 'keep',
  }
}

const recipes = (written: Readonly<Record<string, ThumbnailDefinition>>): ReadonlyMap<string, ThumbnailRecipe> =>
  new Map<string, ThumbnailRecipe>([
    [PREVIEW, { width: 256, height: 256, fit: 'inside', format: 'webp' }],
    ...Object.entries(written).map(([name, each]) => [name, recipeOf(each)] as const),
  ])

function recipeOf(written: ThumbnailDefinition): ThumbnailRecipe {
  if (typeof written !== 'string') return { fit: 'cover', format: 'webp', ...written }
  const [, width, height] = SIDES.exec(written) ?? []
  return {
    ...(width === undefined ? {} : { width: Number(width) }),
    ...(height === undefined ? {} : { height: Number(height) }),
    fit: 'cover',
    format: 'webp',
  }
}
