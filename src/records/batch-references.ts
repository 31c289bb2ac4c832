import type { RelationField } from '../model/field.ts'
import { MAX_LINKS } from '../model/fields/relation.ts'
import type { Model } from '../model/model.ts'
import type { Store, TransactionMode } from '../store/store.ts'
import { groupBy, isObject } from '../util/json.ts'
import { didYouMean, firstMessages } from '../util/suggest.ts'
import type { FieldIssues } from '../validate/issues.ts'
import type { OperationRequest } from './batch-requests.ts'
import type { RecordData } from './write-requests.ts'

/** The member by which a value stands for the id of an earlier operation: `{"$ref": "order"}`. */
export const REF_MEMBER = '$ref'

/** An operation with its model; undefined if it is faulty. */
type Referring = { readonly operation: OperationRequest; readonly model: Model } | undefined

/** A value that is the id of an earlier operation. */
interface Link {
  readonly field: string
  /** Index in a list of ids. */
  readonly at: number | undefined
  /** Index of the earlier operation. */
  readonly target: number
}

/**
 * The references between the operations of a batch. A record that a later operation refers to gets its id before the transaction, so that forms
 * and code of the project read it as that of a stored one.
 */
export class BatchReferences {
  readonly #operations: readonly Referring[]
  /** By the index of the operation that has them. */
  readonly #links = new Map<number, readonly Link[]>()
  /** Ids by the index of the operation. */
  readonly #ids = new Map<number, number>()
  /** Data with ids, so that a repeated write has the same one. */
  readonly #data = new Map<number, RecordData>()

  /** @param issues gets the faults of references, by operation */
  constructor(operations: readonly Referring[], issues: readonly FieldIssues[]) {
    this.#operations = operations
    const refs = new Map<string, number>()
    for (const [index, each] of operations.entries()) if (each?.operation.ref !== undefined) refs.set(each.operation.ref, index)
    for (const [index, each] of operations.entries()) {
      const found = issues[index]
      if (each === undefined || each.operation.method === 'delete' || found === undefined) continue
      const links = [...each.model.relations.values()].flatMap((field) => this.#linksOf(index, field, refs, found))
      if (links.length > 0) this.#links.set(index, links)
    }
  }

  #linksOf(index: number, field: RelationField, refs: ReadonlyMap<string, number>, issues: FieldIssues): readonly Link[] {
    const { name } = field
    const operation = this.#operations[index]?.operation
    const value = operation === undefined || operation.method === 'delete' ? undefined : operation.data[name]
    const isList = Array.isArray(value)
    // The field refuses more links.
    if (isList ? value.length > MAX_LINKS || !value.some(isReference) : !isReference(value)) return []
    const links: Link[] = []
    const problems: string[] = []
    for (const [at, item] of (isList ? value : [value]).entries()) {
      if (!isReference(item)) continue
      const found = this.#targetOf(item, index, field, refs)
      if (typeof found === 'string') problems.push(`${name} ${found}`)
      else links.push({ field: name, at: isList ? at : undefined, target: found })
    }
    issues.add(name, ...firstMessages(problems, (problem) => problem))
    return links
  }

  /** The index of the operation that a value refers to, or the reason why it refers to none. */
  #targetOf(
    value: Readonly<Record<string, unknown>>,
    index: number,
    { relation }: RelationField,
    refs: ReadonlyMap<string, number>,
  ): number | string {
    const ref = value[REF_MEMBER]
    if (typeof ref !== 'string' || Object.keys(value).length > 1)
      return `must name an earlier operation as {"${REF_MEMBER}": "its ref"} and nothing else`
    const target = refs.get(ref)
    if (target === undefined) return `refers to '${ref}', which is the ref of no operation${didYouMean(ref, refs.keys())}`
    if (target === index) return `refers to '${ref}', which is the ref of this operation; only earlier ones can be referred to`
    if (target > index) return `refers to '${ref}', which is the ref of operation ${target}; put that operation before this one`
    const model = this.#operations[target]?.model
    if (model === undefined || model.key === relation.target) return target
    return `refers to '${ref}', which is a ${model.key}, not a ${relation.target}`
  }

  /** Takes the ids of the new records that others refer to, unless they are taken. */
  async takeIds(store: Store, mode: TransactionMode): Promise<void> {
    const targets = new Set([...this.#links.values()].flatMap((links) => links.map(({ target }) => target)))
    const wanted = [...targets].filter((target) => !this.#ids.has(target)).sort((a, b) => a - b)
    const created: { readonly index: number; readonly model: Model }[] = []
    for (const index of wanted) {
      const { operation, model } = this.#operations[index] ?? {}
      if (model === undefined || operation === undefined) continue
      if (operation.method === 'create') created.push({ index, model })
      else this.#ids.set(index, operation.id)
    }
    for (const [model, ofModel] of groupBy(created, (each) => each.model)) {
      const ids = await store.takeIds(model.key, ofModel.length, mode)
      for (const [position, { index }] of ofModel.entries()) this.#ids.set(index, ids[position] ?? 0)
    }
  }

  /** Forgets the ids, so that the next ones are taken. */
  forgetIds(): void {
    this.#ids.clear()
    this.#data.clear()
  }

  /** The id that a new record gets, if another one refers to it. */
  newIdOf(index: number): number | undefined {
    return this.#operations[index]?.operation.method === 'create' ? this.#ids.get(index) : undefined
  }

  /** The values of an operation, with ids in the place of references. */
  dataOf(index: number, data: RecordData): RecordData {
    const links = this.#links.get(index)
    if (links === undefined) return data
    const known = this.#data.get(index)
    if (known !== undefined) return known
    const values: Record<string, unknown> = { ...data }
    for (const { field, at, target } of links) {
      const id = this.#ids.get(target)
      const list = values[field]
      values[field] = at === undefined || !Array.isArray(list) ? id : list.with(at, id)
    }
    this.#data.set(index, values)
    return values
  }
}

const isReference = (value: unknown): value is Readonly<Record<string, unknown>> =>
  isObject(value) && Object.hasOwn(value, REF_MEMBER)
