import Joi from 'joi'
import type { Field } from '../model/field.ts'
import { acceptsType, brokenCount, brokenFileLimit } from '../model/file-limits.ts'
import { type FileRules, filesIn } from '../model/files.ts'
import { FILE_OPTION_SCHEMAS } from '../model/parse-files.ts'
import { parseBytes } from '../util/bytes.ts'
import type { Json, JsonObject } from '../util/json.ts'

/** The members of the `options` of a file field that narrow the rules of its model. */
export const formFilesSchema = Joi.object<NarrowingOptions>({
  max_files: FILE_OPTION_SCHEMAS.max_files,
  max_size: FILE_OPTION_SCHEMAS.max_size,
  accept: FILE_OPTION_SCHEMAS.accept,
}).unknown()

interface NarrowingOptions {
  readonly max_files?: number
  readonly max_size?: number | string
  readonly accept?: readonly string[]
}

/**
 * The rules of a file field under the options of a form; undefined if these narrow none. A form cannot widen a rule.
 *
 * @throws {Error} for malformed options, and for types of which the model accepts none
 */
export function narrowedRules({ type, file }: Field, options: JsonObject): FileRules | undefined {
  if (file === undefined) return undefined
  const checked = formFilesSchema.validate(options, { convert: false })
  if (checked.error !== undefined) throw new Error(checked.error.message)
  const { max_files: maxFiles, max_size: size, accept } = checked.value
  const maxSize = parseBytes(size)
  if (maxFiles === undefined && maxSize === undefined && accept === undefined) return undefined
  return {
    ...file,
    maxFiles: type.list ? Math.min(maxFiles ?? file.maxFiles, file.maxFiles) : 1,
    maxSize: maxSize === undefined ? file.maxSize : Math.min(maxSize, file.maxSize ?? maxSize),
    accept: accept === undefined ? file.accept : commonTypes(accept, file.accept),
  }
}

/** Media types that both lists accept; undefined stands for all. */
function commonTypes(form: readonly string[], model: FileRules['accept']): readonly string[] {
  if (model === undefined) return form
  const common = [
    ...form.filter((type) => acceptsType({ accept: model }, type)),
    ...model.filter((type) => !form.includes(type) && acceptsType({ accept: form }, type)),
  ]
  if (common.length === 0) throw new Error(`'accept' has no type that the model accepts (${model.join(', ')})`)
  return common
}

/** Checks the files of a record against the narrowed rules of a form. Messages follow the name of the field. */
export function checkFormFiles(value: Json, rules: FileRules): readonly string[] {
  const files = filesIn(value)
  const count = brokenCount(rules, files.length)
  if (count !== undefined) return [count]
  // What a form cannot narrow is judged when a file is uploaded.
  const own: FileRules = { ...rules, minWidth: undefined, minHeight: undefined, maxPixels: Infinity }
  const problems = files.flatMap((file) => brokenFileLimit(own, file, rules.maxSize ?? Infinity) ?? [])
  return [...new Set(problems)]
}
