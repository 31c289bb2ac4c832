import { forbidden, isPrivileged } from '../auth/permissions.ts'
import type { Model } from '../model/model.ts'
import type { ActionWork } from '../records/actions.ts'
import type { ActionCall, WriteContext } from '../records/hooks.ts'
import type { StoredRecord } from '../store/store.ts'
import { isObject } from '../util/json.ts'
import { copyOf } from './code-values.ts'
import { refusalOf, refuse, type Tx } from './define.ts'
import { HookRun } from './hook-run.ts'
import type { Entry, HookTransaction } from './hook-tx.ts'
import type { HookSet } from './parse-hooks.ts'

/** The index of the action itself among the records of its request, for what its code writes. */
const OF_THE_ACTION = -1

/**
 * The run of the code of an action, which is called once with all records. What it sets is done by the right to the action, what it writes
 * besides by the rights of the actor, unless `system` is written.
 *
 * @param own the records of the request
 */
export function actionRun(
  transaction: HookTransaction,
  call: ActionCall,
  own: readonly Entry[],
  { actor, options }: WriteContext,
): HookRun {
  const { code } = call
  const { model } = call.action
  const records = own.map(({ existing }) => copyOf(model, existing ?? {}) as StoredRecord)
  const perform = async (_: unknown, tx: Tx): Promise<void> => {
    const set: ActionWork['set'] = (values, record) => {
      if (!isObject(values)) throw new TypeError('set takes an object of values by field')
      if (!actor.isSuperuser && Object.keys(values).some((name) => isPrivileged(model, name))) throw forbidden(actor)
      const targets = record === undefined ? records : records.filter(({ id }) => id === record.id)
      if (targets.length === 0) throw new TypeError('set takes one of the records of the action')
      for (const { id } of targets) tx.system.model(model.key).update(id, values)
    }
    const work: ActionWork = { records, input: call.input, set }
    try {
      call.returned = await code.call(work as never, tx as never)
    } catch (error) {
      throw atInputs(error, call.action.input)
    }
  }
  const stage = { ...code, call: perform } as unknown as HookSet['beforeDelete']
  const first: HookSet = { ...NO_HOOKS, beforeDelete: stage }
  const chain = options?.origin?.chain ?? []
  const whole = { model, draft: undefined, existing: undefined, actor, chain, cause: OF_THE_ACTION, isOwn: false }
  return new HookRun(transaction, whole, [first])
}

/** An error of the code; messages for fields of the input have the keys that those of a faulty input have. */
function atInputs(error: unknown, input: Model): unknown {
  const refusal = refusalOf(error)
  if (refusal === undefined || typeof refusal.messages === 'string') return error
  const messages = Object.entries(refusal.messages).map(([name, texts]) => [
    input.fields.has(name) ? `input.${name}` : name,
    texts,
  ])
  return refuse(Object.fromEntries(messages), refusal.status)
}

const NO_HOOKS: HookSet = {
  compute: [],
  beforeCreate: undefined,
  beforeUpdate: undefined,
  beforeDelete: undefined,
  validate: undefined,
  afterCommit: undefined,
}
