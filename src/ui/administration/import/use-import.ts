import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AdminError, type Imported } from '../../../client/client.ts'
import { refreshModel } from '../../data/records.ts'
import { useSession } from '../../session/use-session.ts'
import { type ChosenFile, type ImportChoices, importOptions } from './import-options.ts'

/** State of an import. A change of the file or the options begins anew. */
export type ImportState =
  | { readonly step: 'choosing' }
  | { readonly step: 'checking' | 'importing'; readonly rows?: number }
  | { readonly step: 'clean' | 'done'; readonly result: Imported }
  | { readonly step: 'rejected'; readonly error: unknown }

/** Checks and imports a file of a model's records. */
export function useImport(model: string) {
  const session = useSession()
  const queries = useQueryClient()
  const [state, setState] = useState<ImportState>({ step: 'choosing' })

  const send = async ({ content }: ChosenFile, choices: ImportChoices, isDryRun: boolean) => {
    const options = { ...importOptions(choices), dry_run: isDryRun }
    setState((former) => ({
      step: isDryRun ? 'checking' : 'importing',
      ...('result' in former ? { rows: former.result.total } : {}),
    }))
    try {
      const result = await session.run((client) => client.model(model).import(content, options))
      setState({ step: isDryRun ? 'clean' : 'done', result })
      if (isDryRun) return
      void refreshModel(queries, model)
      void queries.invalidateQueries({ queryKey: ['site'] })
    } catch (error) {
      setState({ step: 'rejected', error })
    }
  }

  return {
    state,
    /** Forgets the result: it belongs to another file or other options. */
    reset: () => setState({ step: 'choosing' }),
    check: (file: ChosenFile, choices: ImportChoices) => send(file, choices, true),
    start: (file: ChosenFile, choices: ImportChoices) => send(file, choices, false),
  }
}

/** True for a file whose values are wrong, rather than a request that failed. */
export const isRejectedFile = (error: unknown): error is AdminError =>
  error instanceof AdminError && Object.keys(error.fieldErrors).length > 0
