import { useQuery } from '@tanstack/react-query'
import { type ComponentType, createContext, use, useState } from 'react'
import type { SiteField, SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import type { AnyRecord } from '../data/records.ts'
import { labelsQuery, type Related, relatedIn } from '../data/related.ts'
import { may, useModel, useSite } from '../data/site.ts'

export interface CreateRelatedProps {
  readonly model: SiteModel
  /** What was searched for before. */
  readonly typed: string
  /** Called when the dialog closes, with the record if one was created. */
  readonly onClose: (created: AnyRecord | undefined) => void
}

/** What the relations of a form can do besides choosing existing records. */
interface RelatedActions {
  /** A dialog that creates a record. */
  readonly CreateDialog: ComponentType<CreateRelatedProps>
  /** Opens a record beside the form; undefined where there is no room for it. */
  readonly open: ((model: string, id: number) => void) | undefined
}

/** Provides the actions of relations within a form. Without it pickers only choose existing records. */
export const RelatedContext = createContext<RelatedActions | undefined>(undefined)

/** The attribute of a button that opens a record, by which it gets the focus back. */
export const opening = (model: string, id: number) => ({ 'data-opens': `${model}.${id}` })

/** The button that opens a record; the last one, which is in the uppermost drawer. */
export const openerOf = (model: string, id: number): HTMLElement | null =>
  [...document.querySelectorAll<HTMLElement>(`[data-opens="${model}.${id}"]`)].at(-1) ?? null

interface RelatedChoice {
  /** The model of the related records; undefined if the user has no permission for it. */
  readonly target: SiteModel | undefined
  /** False if the user cannot list the records of the model. */
  readonly canList: boolean
  /** The record with an id, with its text if it is known. */
  readonly relatedOf: (id: number) => Related
  /** Opens a record beside the form; undefined if this is not possible. */
  readonly open: ((id: number) => void) | undefined
  /** Why the texts could not be read; null if they were. */
  readonly error: Error | null
  /** Reads the texts again. */
  readonly retry: () => void
  /** Keeps the text of a record that was chosen. */
  readonly remember: (related: Related) => void
}

/** Largest number of records that are asked for by id in one request. */
const MAX_ASKED = 100

/**
 * The texts of related records: from what was chosen or the record, as long as the model of the related records does not change; otherwise
 * from the server.
 */
export function useRelated(field: SiteField, record: AnyRecord | undefined, ids: readonly number[]): RelatedChoice {
  const session = useSession()
  const target = useModel(field.relation?.model ?? '')
  const canList = may(target, 'view')
  const [chosen, setChosen] = useState<readonly Related[]>([])
  const openRecord = use(RelatedContext)?.open
  const own = useOwn(field)
  const known = [...chosen, ...relatedIn(record, field, target), ...own]
  const asked = ids.slice(0, MAX_ASKED)
  const initial = asked.flatMap((id) => known.find((each) => each.id === id) ?? [])
  const answer = useQuery({
    ...labelsQuery(session, target, asked),
    enabled: canList && asked.length > 0,
    initialData: () => (initial.length === asked.length ? initial : undefined),
    // A change of the model, here or elsewhere, makes the texts stale; time does not.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const all = [...(answer.data ?? []), ...known]
  return {
    target,
    canList,
    relatedOf: (id) => all.find((each) => each.id === id && each.label !== undefined) ?? { id, label: undefined },
    open: canList && target !== undefined && openRecord !== undefined ? (id) => openRecord(target.key, id) : undefined,
    error: answer.error,
    retry: () => void answer.refetch(),
    remember: (related) => setChosen((former) => [related, ...former.filter(({ id }) => id !== related.id)]),
  }
}

/** The user of the page as a related record: known by name without the permission to view users. */
function useOwn({ relation }: SiteField): readonly Related[] {
  const { user } = useSite()
  return relation?.model === 'user' && user.id !== null ? [{ id: user.id, label: user.username ?? undefined }] : []
}
