import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SiteField, SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import type { AnyRecord } from '../data/records.ts'
import { labelsQuery, type Related, relatedIn } from '../data/related.ts'
import { may, useModel, useSite } from '../data/site.ts'

interface RelatedChoice {
  /** The model of the related records; undefined if the user has no permission for it. */
  readonly target: SiteModel | undefined
  /** False if the user cannot list the records of the model. */
  readonly canList: boolean
  /** The record with an id, with its text if it is known. */
  readonly relatedOf: (id: number) => Related
  /** Why the texts could not be read; null if they were. */
  readonly error: Error | null
  /** Reads the texts again. */
  readonly retry: () => void
  /** Keeps the text of a record that was chosen. */
  readonly remember: (related: Related) => void
}

/** Largest number of records that are asked for by id in one request. */
const MAX_ASKED = 100

/** The texts of related records: from the record, from what was chosen, otherwise from the server. */
export function useRelated(field: SiteField, record: AnyRecord | undefined, ids: readonly number[]): RelatedChoice {
  const session = useSession()
  const target = useModel(field.relation?.model ?? '')
  const canList = may(target, 'view')
  const [chosen, setChosen] = useState<readonly Related[]>([])
  const own = useOwn(field)
  const known = [...chosen, ...relatedIn(record, field, target), ...own]
  const unknown = ids.filter((id) => known.every((each) => each.id !== id)).slice(0, MAX_ASKED)
  const asked = useQuery({ ...labelsQuery(session, target, unknown), enabled: canList && unknown.length > 0 })
  const all = [...known, ...(asked.data ?? [])]
  return {
    target,
    canList,
    relatedOf: (id) => all.find((each) => each.id === id && each.label !== undefined) ?? { id, label: undefined },
    error: asked.error,
    retry: () => void asked.refetch(),
    remember: (related) => setChosen((former) => [related, ...former.filter(({ id }) => id !== related.id)]),
  }
}

/** The user of the page as a related record: known by name without the permission to view users. */
function useOwn({ relation }: SiteField): readonly Related[] {
  const { user } = useSite()
  return relation?.model === 'user' && user.id !== null ? [{ id: user.id, label: user.username ?? undefined }] : []
}
