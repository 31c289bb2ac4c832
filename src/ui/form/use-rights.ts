import { useMemo, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'
import { idsOf } from '../data/related.ts'
import { may, modelOf, useSite } from '../data/site.ts'
import { RIGHTS } from '../data/views.ts'
import { mergedIds } from '../panels/permission-rows.ts'
import type { FormValues } from './values.ts'

/** An edited right: its value when it was edited, and the one that was chosen. */
interface RightEdit {
  readonly before: unknown
  readonly after: unknown
}

/** Edited rights by the name of their field. */
export type RightEdits = Readonly<Record<string, RightEdit>>

/** The rights of a user or a group: the fields that grant them, with what is edited of them. */
export interface Rights {
  /** Names of the fields that the page shows apart from the form; none for a record that has no rights. */
  readonly names: readonly string[]
  /** True for a user who may set them. */
  readonly isWritable: boolean
  readonly edits: RightEdits
  /** @param base the version of the record that the new value was chosen for */
  readonly set: (base: AnyRecord, name: string, value: unknown) => void
  /** Forgets edits that are stored or dropped. A right that was set once more since is an edit of what was stored. */
  readonly forget: (edits: RightEdits) => void
}

/** Those of a form whose page shows no rights apart from it. */
export const NO_RIGHTS: Rights = { names: [], isWritable: false, edits: {}, set: () => {}, forget: () => {} }

const NONE: readonly string[] = []

/** Keeps the edits of a record's rights. Only superusers set rights; others see them if they may view groups and permissions. */
export function useRights(model: SiteModel): Rights {
  const site = useSite()
  const [edits, setEdits] = useState<RightEdits>({})
  const all = RIGHTS[model.key] ?? NONE
  const isWritable = all.length > 0 && site.user.is_superuser && may(model, 'change')
  const names = useMemo(() => {
    const isReadable = (name: string) => may(modelOf(site, name === 'permissions' ? 'permission' : 'group'), 'view')
    return isWritable ? all : all.filter(isReadable)
  }, [site, all, isWritable])
  return {
    names,
    isWritable,
    edits,
    set: (base, name, after) => {
      const before = rightIn(base, name, undefined)
      setEdits((former) => ({ ...former, [name]: { before, after } }))
    },
    forget: (sent) => setEdits((now) => Object.fromEntries(Object.entries(now).flatMap((entry) => later(entry, sent)))),
  }
}

/** The edit of a right that is left once `sent` is stored. */
function later([name, edit]: readonly [string, RightEdit], sent: RightEdits): [string, RightEdit][] {
  const stored = sent[name]
  if (stored === undefined) return [[name, edit]]
  return stored === edit ? [] : [[name, { before: stored.after, after: edit.after }]]
}

/** The value of a right in a version of the record, with the edit of it. Groups and permissions that others have changed since stay so. */
export function rightIn(record: AnyRecord, name: string, edit: RightEdit | undefined): unknown {
  const stored = record[name]
  if (!Array.isArray(stored)) return edit === undefined || edit.before === edit.after ? stored : edit.after
  const ids = idsOf(stored)
  return edit === undefined ? ids : mergedIds(ids, new Set(idsOf(edit.before)), new Set(idsOf(edit.after)))
}

/** The rights that edits change in a version of the record. The order of groups and permissions has no meaning. */
export function changedRights(record: AnyRecord, edits: RightEdits): FormValues {
  const changed = Object.entries(edits).flatMap(([name, edit]): [string, unknown][] => {
    const value = rightIn(record, name, edit)
    const stored = rightIn(record, name, undefined)
    const isSame =
      Array.isArray(value) && Array.isArray(stored)
        ? value.length === stored.length && value.every((id) => stored.includes(id))
        : value === stored
    return isSame ? [] : [[name, value]]
  })
  return Object.fromEntries(changed)
}
