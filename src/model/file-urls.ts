import { isRecordId } from '../util/ids.ts'
import type { Json, JsonObject } from '../util/json.ts'
import { isStoredFile, type StoredFile } from './files.ts'
import type { Model } from './model.ts'

/** The place of a file in the API. */
export interface FilePlace {
  /** Key of the model. */
  readonly model: string
  readonly record: number
  readonly field: string
  /** The public id of the file. */
  readonly file: string
}

/** Addresses of the bytes of files, relative to the root of the server. They depend on nothing but the place of the file. */
export class FileUrls {
  readonly #root: string

  /** @param apiRoot path of the API, such as `/api/v1` */
  constructor(apiRoot: string) {
    this.#root = `${apiRoot}/files`
  }

  of({ model, record, field, file }: FilePlace): string {
    return `${this.#root}/${model}/${record}/${field}/${file}`
  }

  /** The place that an address names; undefined for another text. */
  placeOf(path: string): FilePlace | undefined {
    if (!path.startsWith(`${this.#root}/`)) return undefined
    const [model = '', record = '', field = '', file = '', ...rest] = path.slice(this.#root.length + 1).split('/')
    const isPlace = rest.length === 0 && NAME.test(model) && isRecordId(record) && NAME.test(field) && NAME.test(file)
    return isPlace ? { model, record: Number(record), field, file } : undefined
  }

  /** A value of a field as the API returns it: each stored file has its `url`. */
  within(model: Model, record: number, field: string, value: Json): Json {
    if (model.fields.get(field)?.file === undefined) return value
    const addressed = (file: StoredFile): Json => ({ ...file, url: this.of({ model: model.key, record, field, file: file.id }) })
    if (Array.isArray(value)) return value.map((each) => (isStoredFile(each) ? addressed(each) : each))
    return isStoredFile(value) ? addressed(value) : value
  }

  /** All values of a record as the API returns them. Returns the same object if the model has no files. */
  withinRecord<T extends JsonObject>(model: Model, id: number, values: T): T {
    if (model.fileFields.length === 0) return values
    const entries = Object.entries(values).map(([name, value]) => [name, this.within(model, id, name, value)] as const)
    return Object.fromEntries(entries) as T
  }
}

/** A name in a path, which has nothing that is escaped there. */
const NAME = /^[\w-]+$/
