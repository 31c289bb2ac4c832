import { isObject } from '../util/json.ts'
import { didYouMean } from '../util/suggest.ts'
import { FieldIssues, MAX_NAMED } from '../validate/issues.ts'
import { checkData, checkId, checkTags, type RecordData, readEnvelope, readFormId, readItems } from './write-requests.ts'

/** What an operation of a batch does with its record. */
export const BATCH_METHODS = ['create', 'update', 'delete'] as const

type BatchMethod = (typeof BATCH_METHODS)[number]

/** One operation of a batch. */
export type OperationRequest = NewInBatch | ChangeInBatch | RemovalInBatch

/** A creation. */
interface NewInBatch extends Sent {
  readonly method: 'create'
  readonly data: RecordData
}

interface ChangeInBatch extends Sent {
  readonly method: 'update'
  readonly id: number
  readonly data: RecordData
}

interface RemovalInBatch extends Sent {
  readonly method: 'delete'
  readonly id: number
}

interface Sent {
  /** As sent: the key of a model. */
  readonly model: string
  readonly formId: string | undefined
  /** Entity tags, as in `If-Match`. */
  readonly ifMatch: string | undefined
  /** The name by which later operations refer to the record. */
  readonly ref: string | undefined
}

const MEMBERS: Readonly<Record<BatchMethod, readonly string[]>> = {
  create: ['method', 'model', 'data', 'form_id', 'ref'],
  update: ['method', 'model', 'id', 'data', 'form_id', 'if_match', 'ref'],
  delete: ['method', 'model', 'id', 'if_match'],
}

/** Maximum number of characters of a ref. */
export const MAX_REF = 100

/**
 * Reads `{operations: [{method, model, id?, data?, form_id?, if_match?, ref?}…], etags?}`.
 *
 * @throws {AppError} VALIDATION_FAILED
 */
export function readBatch(body: unknown): readonly OperationRequest[] {
  const { members, issues } = readEnvelope(body, ['operations', 'etags'])
  if (members.etags != null && typeof members.etags !== 'boolean') issues.add('etags', 'etags must be true or false')
  const refs = new Map<string, number>()
  const operations = readItems(members, 'operations', issues).map((sent, index) => readOperation(sent, index, refs, issues))
  issues.throwIfAny()
  return operations.filter((operation) => operation !== undefined)
}

/** @param refs the names of the operations before it, with their indexes */
function readOperation(
  sent: unknown,
  index: number,
  refs: Map<string, number>,
  issues: FieldIssues,
): OperationRequest | undefined {
  if (issues.size >= MAX_NAMED) return undefined
  if (!isObject(sent)) {
    issues.add(String(index), `operations[${index}] must be an object`)
    return undefined
  }
  const found = new FieldIssues()
  const operation = operationOf(sent, refs, index, found)
  issues.addAll(found, `${index}.`)
  return operation
}

function operationOf(
  sent: Readonly<Record<string, unknown>>,
  refs: Map<string, number>,
  index: number,
  issues: FieldIssues,
): OperationRequest | undefined {
  const method = BATCH_METHODS.find((each) => each === sent.method)
  if (method === undefined) {
    const meant = typeof sent.method === 'string' ? didYouMean(sent.method, BATCH_METHODS) : ''
    issues.add(
      'method',
      sent.method == null ? 'method is mandatory' : `method must be one of ${BATCH_METHODS.join(', ')}${meant}`,
    )
    return undefined
  }
  const known = MEMBERS[method]
  for (const name of Object.keys(sent)) {
    if (issues.size >= MAX_NAMED) break
    if (known.includes(name)) continue
    issues.add(
      name,
      `'${name}' is not part of this operation${didYouMean(name, known)} (known to ${method}: ${known.join(', ')})`,
    )
  }
  const { model } = sent
  if (model === undefined || model === null) issues.add('model', 'model is mandatory')
  else if (typeof model !== 'string') issues.add('model', 'model must be the name of a model in lower case')
  if (method !== 'create') checkId(sent.id, 'id', issues)
  if (method !== 'delete') checkData(sent.data, 'data', issues)
  checkTags(sent.if_match, 'if_match', issues)
  const formId = readFormId(sent.form_id, 'form_id', issues)
  const ref = readRef(sent.ref, refs, index, issues)
  const common = { model: String(model), formId, ifMatch: (sent.if_match ?? undefined) as string | undefined, ref }
  const data = sent.data as RecordData
  if (method === 'create') return { ...common, method, data }
  return method === 'update' ? { ...common, method, id: Number(sent.id), data } : { ...common, method, id: Number(sent.id) }
}

function readRef(ref: unknown, refs: Map<string, number>, index: number, issues: FieldIssues): string | undefined {
  if (ref === undefined || ref === null) return undefined
  if (typeof ref !== 'string' || ref === '' || ref.length > MAX_REF) {
    issues.add('ref', `ref must be a text of 1 to ${MAX_REF} characters`)
    return undefined
  }
  const first = refs.get(ref)
  if (first === undefined) refs.set(ref, index)
  else issues.add('ref', `'${ref}' is the ref of operation ${first} already; each operation has its own`)
  return ref
}
