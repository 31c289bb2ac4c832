import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { SiteModel } from '../../../client/client.ts'
import { useLocale } from '../../cells/use-locale.ts'
import { fieldOf, useSite } from '../../data/site.ts'
import type { FormView } from '../../data/views.ts'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useText } from '../../text/text.tsx'
import { FileChooser } from './file-chooser.tsx'
import { ImportChoicesForm } from './import-choices.tsx'
import { ImportErrors } from './import-errors.tsx'
import { type ChosenFile, formatOf, type ImportChoices } from './import-options.ts'
import { ImportProgress, ImportSummary } from './import-summary.tsx'
import { isRejectedFile, useImport } from './use-import.ts'

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
