import { keepPreviousData, skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AdminError, type Imported, type ImportMap, type ImportPreview, type SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { refreshModel } from '../data/records.ts'
import { type ImportContent, type ImportSource, type ReadingChoices, readSource } from './file-content.ts'
import { knownNames } from './import-fields.ts'
import type { RecordChoices } from './import-options.ts'

/** A source that was read, under a key that no other has. */
export interface KeyedContent {
  readonly key: string
  /** Undefined for a source without a row. */
  readonly content: ImportContent | undefined
}

/** Reads a source as it was chosen. A large file is read in turns, a workbook in a worker. */
export function useContent(model: SiteModel, source: ImportSource | undefined, choices: ReadingChoices) {
  const key = JSON.stringify([model.key, source?.id, choices])
  return useQuery({
    queryKey: ['import', 'content', key],
    queryFn:
      source === undefined
        ? skipToken
        : async (): Promise<KeyedContent> => ({ key, content: await readSource(source, choices, knownNames(model)) }),
    // What is read of a source stays the same, and is not kept behind the page.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    structuralSharing: false,
    networkMode: 'always',
  })
}

/** What is asked of the server for a preview. */
interface PreviewRequest {
  readonly map: ImportMap
  readonly records: RecordChoices
}

/** The server's guess of what the columns are, and the first rows. The former answer about the same source stays until the next is there. */
export function useMapPreview(model: SiteModel, read: KeyedContent | undefined, { map, records }: PreviewRequest) {
  const session = useSession()
  const first = read?.content?.table?.first
  const { format = 'csv', delimiter } = read?.content ?? {}
  return useQuery({
    queryKey: ['import', 'preview', read?.key, map, records],
    queryFn:
      first === undefined
        ? skipToken
        : async ({ signal }): Promise<ImportPreview> => {
            const options = { format, delimiter, map, upsert_by: records.upsertBy, form_id: records.form, signal }
            const answer = await session.read(signal, (client) => client.model(model.key).previewImport(first, options))
            return answer.data
          },
    placeholderData: (former, query) => (query?.queryKey[2] === read?.key ? keepPreviousData(former) : undefined),
    gcTime: 0,
    retry: false,
  })
}

/** State of an import. A change of the file or the options starts it again. */
type ImportState =
  | { readonly state: 'open' }
  | { readonly state: 'checking' | 'importing'; readonly rows?: number }
  | { readonly state: 'clean' | 'done'; readonly result: Imported }
  | { readonly state: 'rejected'; readonly error: unknown }

/** What is imported, and how. */
export interface WizardRequest {
  readonly content: ImportContent
  /** Undefined for records as JSON. */
  readonly map: ImportMap | undefined
  readonly records: RecordChoices
}

/** Checks and imports a file of a model's records. */
export function useImport(model: string) {
  const session = useSession()
  const queries = useQueryClient()
  const [state, setState] = useState<ImportState>({ state: 'open' })

  const send = async ({ content, map, records }: WizardRequest, isDryRun: boolean): Promise<boolean> => {
    const { format, delimiter, body } = content
    const options = { format, delimiter, map, upsert_by: records.upsertBy, form_id: records.form, dry_run: isDryRun }
    setState((former) => ({
      state: isDryRun ? 'checking' : 'importing',
      ...('result' in former ? { rows: former.result.total } : {}),
    }))
    try {
      const result = await session.run((client) => client.model(model).import(body, options))
      setState({ state: isDryRun ? 'clean' : 'done', result })
      if (isDryRun) return true
      void refreshModel(queries, model)
      void queries.invalidateQueries({ queryKey: ['site'] })
      return true
    } catch (error) {
      setState({ state: 'rejected', error })
      return false
    }
  }

  return {
    run: state,
    /** Forgets the result: it belongs to another file or other options. */
    reset: () => setState({ state: 'open' }),
    check: (request: WizardRequest) => send(request, true),
    start: (request: WizardRequest) => send(request, false),
  }
}

/** True for a file whose values are wrong, rather than a request that failed. */
export const isRejectedFile = (error: unknown): error is AdminError =>
  error instanceof AdminError && Object.keys(error.fieldErrors).length > 0
