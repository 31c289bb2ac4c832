import type { Client } from '../client.ts'
import { AdminError } from '../connection/admin-error.ts'
import type { Id } from '../models/model-client.ts'
import type { ModelShapes, Values } from './model-shapes.ts'

/** An update of a record that a user has edited. */
export interface Edit {
  readonly resource: string
  readonly id: Id
  /** The record as edited. */
  readonly data: Values
  /** The record as it was when the user began; undefined if unknown. */
  readonly previous: Values | undefined
  readonly form_id?: string
  /** The version that the record must have; its fields are then not compared. */
  readonly if_match: string | undefined
}

/** Attempts while other clients change other fields of the record. */
const MAX_ATTEMPTS = 5

/**
 * Sends the fields that the user has changed, unless another client has changed one of them meanwhile. Without permission to read the
 * record, the fields are sent unconditionally.
 *
 * @returns the record as stored
 * @throws {AdminError} `precondition` naming the fields that another client has changed, too
 */
export function updateSafely(client: Client, shapes: ModelShapes, edit: Edit): Promise<Values> {
  return shapes.naming(edit.resource, edit.form_id, () => updateUnlessChanged(client, shapes, edit))
}

async function updateUnlessChanged(client: Client, shapes: ModelShapes, edit: Edit): Promise<Values> {
  const { resource, id, data, previous, form_id, if_match } = edit
  const model = client.model(resource)
  const options = form_id === undefined ? {} : { form_id }
  if (previous !== undefined) {
    const changes = await shapes.changed(resource, data, previous)
    if (Object.keys(changes).length === 0) return previous
    if (if_match !== undefined) return (await model.update(id, changes, { ...options, if_match })).data
  }
  for (let attempt = 1; ; attempt++) {
    const stored = await model.read(id).catch(readingForbidden)
    const before = previous ?? stored?.data
    const changes = before === undefined ? await shapes.settable(resource, data) : await shapes.changed(resource, data, before)
    if (stored === undefined || if_match !== undefined) return (await model.update(id, changes, { ...options, if_match })).data
    if (Object.keys(changes).length === 0) return stored.data
    if (previous !== undefined) await rejectConflicts(shapes, edit, { previous, stored: stored.data, changes })
    try {
      return (await model.update(id, changes, { ...options, if_match: stored.etag })).data
    } catch (error) {
      if (!(error instanceof AdminError) || error.type !== 'precondition' || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/** @throws {AdminError} `precondition` if another client has given one of the changed fields another value */
async function rejectConflicts(
  shapes: ModelShapes,
  { resource, id }: Edit,
  { previous, stored, changes }: { readonly previous: Values; readonly stored: Values; readonly changes: Values },
): Promise<void> {
  const meanwhile = await shapes.changed(resource, { ...previous, ...stored }, previous)
  const differing = await shapes.changed(resource, { ...stored, ...changes }, stored)
  const fields = Object.keys(changes).filter((name) => name in previous && name in meanwhile && name in differing)
  if (fields.length === 0) return
  const message = `${resource} ${id} has changed since it was read (${fields.join(', ')}); load it again and repeat your changes`
  throw new AdminError(message, { type: 'precondition', status: 412 })
}

function readingForbidden(error: unknown): undefined {
  if (error instanceof AdminError && error.type === 'permission') return undefined
  throw error
}
