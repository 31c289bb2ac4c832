import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { AdminError, type Imported, type SiteModel } from '../../client/client.ts'
import { useSession } from '../data/page-session.ts'
import { refreshModel } from '../data/records.ts'
import { fieldOf, useSite } from '../data/site.ts'
import type { FormView } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { Failure, Notice } from '../parts/states.tsx'
import { useLocale, useText } from '../text/text.tsx'
import { FileChooser, ImportChoicesForm } from './import-choices.tsx'
import { type ChosenFile, formatOf, type ImportChoices, importOptions } from './import-options.ts'
import { ImportErrors, ImportProgress, ImportSummary } from './import-results.tsx'

const NO_CHOICES: ImportChoices = { format: 'csv', delimiter: undefined, upsertBy: undefined, form: undefined }

/** Imports a file of records: choose, check, import. The import is possible only after a check without errors of the same file and options. */
export function ImportWizard({ model, forms }: { readonly model: SiteModel; readonly forms: readonly FormView[] }) {
  const text = useText().import
  const locale = useLocale()
  const { limits } = useSite()
  const [file, setFile] = useState<ChosenFile>()
  const [tooLarge, setTooLarge] = useState<string>()
  const [choices, setChoices] = useState(NO_CHOICES)
  const { state, reset, check, start } = useImport(model.key)
  const outcome = useRef<HTMLDivElement>(null)
  const isBusy = state.step === 'checking' || state.step === 'importing'
  // The result may be below the edge of a phone.
  useEffect(() => {
    if (state.step !== 'choosing') outcome.current?.scrollIntoView({ block: 'nearest' })
  }, [state.step])

  const choose = async (chosen: File) => {
    reset()
    setFile(undefined)
    const isTooLarge = chosen.size > limits.upload_bytes
    setTooLarge(isTooLarge ? text.tooLarge(chosen.name, (limits.upload_bytes / 1024 / 1024).toLocaleString(locale)) : undefined)
    if (isTooLarge) return
    setFile({ name: chosen.name, content: new Uint8Array(await chosen.arrayBuffer()) })
    setChoices((former) => ({ ...former, format: formatOf(chosen.name) }))
  }

  return (
    <div className="stack import">
      <FileChooser name={file?.name} isDisabled={isBusy} onChoose={(chosen) => void choose(chosen)} />
      {tooLarge !== undefined && <Notice kind="error">{tooLarge}</Notice>}
      <ImportChoicesForm
        {...{ model, forms, choices }}
        isDisabled={isBusy}
        onChange={(next) => {
          setChoices(next)
          reset()
        }}
      />
      <div className="actions">
        <Button
          kind={state.step === 'clean' || state.step === 'done' ? 'plain' : 'primary'}
          disabled={file === undefined}
          isBusy={isBusy}
          onClick={() => file !== undefined && void check(file, choices)}
        >
          {text.check}
        </Button>
        <Button
          kind={state.step === 'clean' ? 'primary' : 'plain'}
          disabled={state.step !== 'clean' && state.step !== 'importing'}
          isBusy={state.step === 'importing'}
          onClick={() => file !== undefined && void start(file, choices)}
        >
          {state.step === 'clean' ? text.startRows(state.result.total, state.result.total.toLocaleString(locale)) : text.start}
        </Button>
      </div>
      <div ref={outcome} className="stack">
        {isBusy && <ImportProgress isChecking={state.step === 'checking'} rows={state.rows} />}
        {(state.step === 'clean' || state.step === 'done') && (
          <ImportSummary result={state.result}>
            {state.step === 'done' && (
              <Link to="/models/$model" params={{ model: model.key }} className="button button-plain">
                {text.toList(model.label)}
              </Link>
            )}
          </ImportSummary>
        )}
        {state.step === 'rejected' &&
          (file !== undefined && isRejectedFile(state.error) ? (
            <ImportErrors
              error={state.error.titled((name) => fieldOf(model, name)?.label ?? name)}
              format={choices.format}
              content={file.content}
            />
          ) : (
            <Failure error={state.error} />
          ))}
      </div>
    </div>
  )
}

/** State of an import. A change of the file or the options starts it again. */
type ImportState =
  | { readonly step: 'choosing' }
  | { readonly step: 'checking' | 'importing'; readonly rows?: number }
  | { readonly step: 'clean' | 'done'; readonly result: Imported }
  | { readonly step: 'rejected'; readonly error: unknown }

/** Checks and imports a file of a model's records. */
function useImport(model: string) {
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
const isRejectedFile = (error: unknown): error is AdminError =>
  error instanceof AdminError && Object.keys(error.fieldErrors).length > 0
