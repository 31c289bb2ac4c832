import Joi from 'joi'
import { formatBytes, parseBytes } from '../util/bytes.ts'

/** Sizes that are too large for every disk are mistakes. */
const LARGEST = 2 ** 50

/** Schema of a size: a number of bytes, or a text with a unit such as `8 MiB`, which becomes one. @param least in bytes */
export const sizeSchema = (least = 1) =>
  Joi.alternatives(Joi.number(), Joi.string())
    .custom((value: number | string, helpers) => {
      const bytes = parseBytes(value)
      return bytes === undefined || bytes < least || bytes > LARGEST ? helpers.error('size.form') : bytes
    })
    .messages({
      'size.form': `{{#label}} must be a number of bytes, or a text such as 8 MiB (KiB, MiB, GiB), from ${formatBytes(least)} to ${formatBytes(LARGEST)}`,
      'alternatives.types': '{{#label}} must be a number of bytes, or a text such as 8 MiB (KiB, MiB, GiB)',
    })
