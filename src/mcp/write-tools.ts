import { createHash } from 'node:crypto'
import { type Answer, listAnswer, objectAnswer } from './answer.ts'
import { model } from './model-tools.ts'
import { type ModelCall, onModel } from './models.ts'
import { flagArgument, optional, textArgument, valuesArgument, wholeArgument, wholesArgument } from './parameters.ts'
import { defineTool, type Tool } from './tool.ts'

const MAX_IDS = 1000

const dry_run = optional(flagArgument('Do everything but the commit: answers what would be stored, or the errors'))
const data = valuesArgument('Values by field, as describe_model names the fields. Relations are ids')
const form_id = optional(textArgument('Name of the form whose fields and rules apply as well'))
const id = wholeArgument('Id of the record', 0)
const if_match = optional(textArgument('The etag of the record as you read it: fails if it has changed since'))

const written = (record: unknown, { etag, dryRun, done }: { etag?: string; dryRun: boolean; done: string }): Answer =>
  objectAnswer(
    {
      message: dryRun ? `Nothing was changed: with dry_run this is what would be stored` : done,
      ...(dryRun || etag === undefined ? {} : { etag }),
      data: record,
    },
    'data',
    (name) => `read_record with fields ["${name}"] has it all`,
  )

const createRecord = defineTool({
  name: 'create_record',
  title: 'Create a record',
  description: 'Creates a record. Errors name each field. Try it with dry_run first when you are not sure.',
  parameters: { model, data, form_id, dry_run },
  effect: 'adds',
  idempotent: false,
  run: (scope, { model: key, data, form_id, dry_run: dryRun = false }) =>
    onModel(scope, { mode: 'write' }, key, {}, async ({ client, shown }) => {
      const stored = await client.model(key).create(data, { form_id, dryRun })
      return written(shown(stored.data), { ...stored, dryRun, done: 'Created' })
    }),
})

const updateRecord = defineTool({
  name: 'update_record',
  title: 'Change a record',
  description:
    'Changes the given fields of a record; others stay as they are. With if_match only if it has not changed since you read it.',
  parameters: { model, id, data, form_id, if_match, dry_run },
  effect: 'changes',
  idempotent: true,
  run: (scope, { model: key, id, data, form_id, if_match, dry_run: dryRun = false }) =>
    onModel(scope, { mode: 'write' }, key, {}, async ({ client, shown }) => {
      const stored = await client.model(key).update(id, data, { form_id, if_match, dryRun })
      return written(shown(stored.data), { ...stored, dryRun, done: 'Changed' })
    }),
})

/** What would happen to records of a model, or which of them prevent it. */
type Consequence = Readonly<{ model: string | null; field?: string | null; action?: string; count: number }>

/** Consequences without the names of models that are not shown; those of such models are counted together. */
function namedFor(list: readonly Consequence[], isShown: ModelCall['isShown']): readonly Consequence[] {
  const counts = new Map<string, Consequence>()
  for (const each of list) {
    const named: Consequence = isShown(each.model)
      ? each
      : { ...each, model: null, ...(each.field === undefined ? {} : { field: null }) }
    const key = JSON.stringify({ ...named, count: 0 })
    counts.set(key, { ...named, count: (counts.get(key)?.count ?? 0) + each.count })
  }
  return [...counts.values()]
}

const deleteRecord = defineTool({
  name: 'delete_record',
  title: 'Delete a record',
  description:
    'Deletes a record in two steps. Without `confirm` nothing is deleted: the answer has the record, the other records that would be deleted or changed with it, what prevents it, and the value for `confirm`. Call again with that value to delete; it holds as long as neither the record nor the consequences change.',
  parameters: {
    model,
    id,
    confirm: optional(textArgument('The `confirm` of the answer to the same call without it')),
    dry_run: optional(flagArgument('Only answer the consequences, also with `confirm`')),
  },
  effect: 'deletes',
  idempotent: true,
  run: (scope, { model: key, id, confirm, dry_run: dryRun = false }) =>
    onModel(scope, { mode: 'write' }, key, {}, async ({ client, shown, isShown }) => {
      const records = client.model(key)
      const { data, ...forecast } = await records.delete(id, { dryRun: true })
      const digest = digestOf({ key, id, data, ...forecast })
      const consequences = namedFor(forecast.consequences, isShown)
      const blocked_by = namedFor(forecast.blocked_by, isShown)
      const isConfirmed = confirm === digest
      if (isConfirmed && !dryRun && blocked_by.length === 0) {
        const removed = await records.delete(id)
        return objectAnswer({ message: 'Deleted', consequences, data: shown(removed.data) }, 'data')
      }
      const why =
        blocked_by.length > 0
          ? 'Nothing was deleted: other records refer to it, see blocked_by; change or delete these first. Those without a name are of models that you may not use.'
          : confirm !== undefined && !isConfirmed
            ? 'Nothing was deleted: the record or the consequences are not those of this confirm. Look at them, and call again with the confirm of this answer.'
            : 'Nothing was deleted. To delete the record with these consequences, call again with confirm.'
      const way = blocked_by.length > 0 ? {} : { confirm: digest }
      return objectAnswer({ message: why, ...way, consequences, blocked_by, data: shown(data) }, 'data')
    }),
})

/** Stands for a deletion as it was shown. */
const digestOf = (shown: object): string => createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 16)

const runAction = defineTool({
  name: 'run_action',
  title: 'Perform an action',
  description:
    'Performs an action of the project on records, all or none. describe_model names the actions, what they are for (`on`: record, selection or model) and their input.',
  parameters: {
    model,
    action: textArgument('Name of the action'),
    ids: optional(wholesArgument('Ids of the records; absent for an action on the model', MAX_IDS)),
    input: optional(valuesArgument('Input of the action, by field')),
    dry_run,
  },
  effect: 'deletes',
  idempotent: false,
  run: (scope, { model: key, action, ids, input = {}, dry_run: dryRun = false }) =>
    onModel(scope, { mode: 'write' }, key, {}, async ({ client, shown }) => {
      const [first] = ids ?? []
      const records = ids === undefined || first === undefined ? null : ids.length === 1 ? first : ids
      const acted = await client.model(key).action(action, records, input, { dryRun })
      const message = dryRun ? `Nothing was changed: ${acted.message}` : acted.message
      return listAnswer({
        items: acted.data.map(shown),
        ...{ offset: 0, total: acted.data.length, noun: 'records', others: { message } },
        rest: (member) => `read_record with fields ["${member}"] has it all`,
        way: `The action ${dryRun ? 'would be' : 'was'} performed on all of them; read_record has each of the others.`,
      })
    }),
})

/** Tools that change records. */
export const WRITE_TOOLS: readonly Tool[] = [createRecord, updateRecord, deleteRecord, runAction]
