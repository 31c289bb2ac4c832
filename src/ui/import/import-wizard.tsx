import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { ImportMap, SiteModel } from '../../client/client.ts'
import { fieldOf, useSite } from '../data/site.ts'
import type { FormView } from '../data/views.ts'
import { useLeaveGuard } from '../form/use-leave-guard.tsx'
import { usePreference } from '../hooks.ts'
import { Button } from '../parts/button.tsx'
import { passing } from '../parts/pass-focus.ts'
import { Failure, Notice, Skeleton } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { useLocale } from '../text/text.tsx'
import { type ImportContent, type ImportSource, NoWorkbook, type ReadingChoices } from './file-content.ts'
import { ColumnTable, FormatFields, MissingFields, RecordChoicesForm } from './import-columns.tsx'
import { columnChoices } from './import-fields.ts'
import { kindOf, type RecordChoices } from './import-options.ts'
import { PreviewTable } from './import-preview.tsx'
import { ImportErrors, ImportProgress, ImportSummary } from './import-results.tsx'
import { FileChooser, PastedCells, ReadingForm, TemplateButtons } from './import-source.tsx'
import { type ImportStep, ImportSteps } from './import-steps.tsx'
import { rememberedMap, withRemembered } from './remembered-maps.ts'
import { type ChosenMap, fieldNameOf, importMap, keptMap, NOTHING_CHOSEN, previewMap, shownMap, withColumn } from './shown-map.ts'
import { isRejectedFile, useContent, useImport, useMapPreview } from './use-import.ts'

const NO_CHOICES: ReadingChoices = { kind: 'csv', delimiter: undefined, encoding: undefined, sheet: undefined }
const NO_RECORD_CHOICES: RecordChoices = { upsertBy: undefined, form: undefined }

/** A file that is this much larger than what the server accepts is not read: a text in UTF-16 and a workbook become smaller. */
const MAX_GROWTH = 4

/** Imports records in four steps: a file or pasted cells, the fields of its columns, a check, the import. Going back keeps what was chosen. */
export function ImportWizard({ model, forms }: { readonly model: SiteModel; readonly forms: readonly FormView[] }) {
  const text = useLaterText().import
  const site = useSite()
  const [step, setStep] = useState<ImportStep>('file')
  const [source, setSource] = useState<ImportSource>()
  const [pasted, setPasted] = useState('')
  const [hugeName, setHugeName] = useState<string>()
  const [unreadName, setUnreadName] = useState<string>()
  /** The id of the source that was chosen last: another one may still be read then. */
  const latest = useRef(0)
  const [reading, setReading] = useState(NO_CHOICES)
  const [records, setRecords] = useState(NO_RECORD_CHOICES)
  const [chosen, setChosen] = useState<ChosenMap>(NOTHING_CHOSEN)
  /** The contents that the choices of columns are about. */
  const [chosenFor, setChosenFor] = useState('')
  const [kept, keep] = usePreference('importMaps')
  const { run, reset, check, start } = useImport(model.key)
  const guard = useLeaveGuard(source !== undefined && run.state !== 'done')
  const heading = useHeadingFocus(step)

  const { data: read, error: unreadable, isFetching: isReading, refetch } = useContent(model, source, reading)
  const content = read?.content
  const table = content?.table
  const isMapping = step !== 'file' && read !== undefined && read.key === chosenFor && table !== undefined
  const preview = useMapPreview(model, isMapping ? read : undefined, { map: previewMap(chosen, TIME_ZONE), records })
  const map = preview.data === undefined ? undefined : shownMap(model, chosen, preview.data)

  const begin = (): number => {
    reset()
    setUnreadName(undefined)
    latest.current = nextId()
    return latest.current
  }
  const choose = async (file: File) => {
    const id = begin()
    setPasted('')
    setSource(undefined)
    const isHuge = file.size > site.limits.upload_bytes * MAX_GROWTH
    setHugeName(isHuge ? file.name : undefined)
    if (isHuge) return
    setReading({ ...NO_CHOICES, kind: kindOf(file.name) })
    try {
      const content = new Blob([await file.arrayBuffer()])
      if (id === latest.current) setSource({ id, name: file.name, content })
    } catch {
      if (id === latest.current) setUnreadName(file.name)
    }
  }
  const paste = (cells: string) => {
    const id = begin()
    setPasted(cells)
    setHugeName(undefined)
    setReading(NO_CHOICES)
    setSource(cells.trim() === '' ? undefined : { id, name: undefined, content: new Blob([cells]) })
  }
  const toColumns = () => {
    setStep('columns')
    if (read === undefined || read.key === chosenFor) return
    const isPossible = (field: string) => columnChoices(model, site, text).some(({ value }) => value === field)
    const former = table && rememberedMap(kept, model.key, table.headers, isPossible)
    setChosen(former === undefined ? NOTHING_CHOSEN : { ...former, isRemembered: true })
    setChosenFor(read.key)
  }
  const changeMap = (next: ChosenMap) => {
    reset()
    setChosen(next)
  }

  const sentMap = table && map && preview.data && importMap(table, map, preview.data)
  const request = (contents: ImportContent) => ({ content: contents, map: sentMap, records })
  /** Keeps the map for the next file with this head, such as the same one with its faults fixed. */
  const remember = () => {
    if (table && map && preview.data) keep(withRemembered(kept, model.key, keptMap(table, map, preview.data)))
  }
  const toCheck = () => {
    if (content === undefined) return
    setStep('check')
    remember()
    void check(request(content))
  }
  const toImport = () => {
    if (content === undefined) return
    setStep('import')
    void start(request(content))
  }
  const again = () => {
    begin()
    setRecords(NO_RECORD_CHOICES)
    setSource(undefined)
    setPasted('')
    setStep('file')
  }

  const isBusy = run.state === 'checking' || run.state === 'importing'
  const isTooLarge = content !== undefined && content.body.size > site.limits.upload_bytes
  const tooLargeName = hugeName ?? (isTooLarge ? (source?.name ?? text.pastedCells) : undefined)
  /** Records as JSON have members with the names of fields. */
  const columnOf = (field: string) =>
    table === undefined
      ? field
      : (map?.columns.find((column) => fieldNameOf(column.field) === field)?.header ?? fieldOf(model, field)?.label ?? field)

  return (
    <div className="stack import">
      {guard}
      <ImportSteps step={step} mayGoBack={!isBusy && run.state !== 'done'} onBack={setStep} />
      <h2 ref={heading} tabIndex={-1} className="import-heading">
        {text.stepTitles[step]}
      </h2>
      {step === 'file' && (
        <>
          <FileChooser name={source?.name} onChoose={(file) => void choose(file)} />
          <PastedCells value={pasted} onChange={paste} />
          <TemplateButtons model={model} />
          {source !== undefined && tooLargeName === undefined && (
            <ReadingForm
              choices={reading}
              isPasted={source.name === undefined}
              found={content?.found ?? {}}
              onChange={(next) => {
                reset()
                setReading(next)
              }}
            />
          )}
          {tooLargeName !== undefined && <TooLarge name={tooLargeName} bytes={site.limits.upload_bytes} />}
          {unreadName !== undefined && <Notice kind="error">{text.unread(unreadName)}</Notice>}
          {unreadable instanceof NoWorkbook && <Notice kind="error">{text.noWorkbook}</Notice>}
          {unreadable !== null && !(unreadable instanceof NoWorkbook) && (
            <Failure error={unreadable} onRetry={() => void refetch()} />
          )}
          {tooLargeName === undefined && content !== undefined && <ContentFacts content={content} />}
          {read !== undefined && content === undefined && <Notice kind="warning">{text.noRows}</Notice>}
          <div className="actions">
            <Button
              kind="primary"
              disabled={content === undefined || tooLargeName !== undefined || table?.headers.length === 0 || hasNoRows(content)}
              isBusy={isReading}
              onClick={toColumns}
            >
              {text.next}
            </Button>
          </div>
        </>
      )}
      {step === 'columns' && (
        <>
          <RecordChoicesForm
            {...{ model, forms }}
            choices={records}
            onChange={(next) => {
              reset()
              setRecords(next)
            }}
          />
          {table === undefined && <p className="muted">{text.noColumns}</p>}
          {chosen.isRemembered && (
            <Notice kind="info" actions={<Button onClick={passing(() => changeMap(NOTHING_CHOSEN))}>{text.guessAgain}</Button>}>
              {text.remembered}
            </Notice>
          )}
          {isMapping && preview.data === undefined && <Waiting error={preview.error} onRetry={() => void preview.refetch()} />}
          {map !== undefined && preview.data !== undefined && (
            <>
              <FormatFields
                {...{ model, map }}
                answer={preview.data}
                onChange={(formats) => changeMap({ ...chosen, ...formats })}
              />
              <ColumnTable {...{ model, map }} onChange={(header, field) => changeMap(withColumn(chosen, map, header, field))} />
              {records.upsertBy === undefined && <MissingFields {...{ model, map }} />}
              {preview.error !== null && <Failure error={preview.error} onRetry={() => void preview.refetch()} />}
              <section className="stack" aria-busy={preview.isFetching || undefined}>
                <h3 className="import-subheading">{text.previewTitle}</h3>
                <PreviewTable {...{ model, map }} rows={preview.data.rows} />
              </section>
            </>
          )}
          <div className="actions">
            <Button onClick={() => setStep('file')}>{text.back}</Button>
            <Button
              kind="primary"
              disabled={!isReady(table !== undefined, sentMap, preview.data?.ambiguous ?? []) || preview.error !== null}
              isBusy={preview.isFetching}
              onClick={toCheck}
            >
              {text.check}
            </Button>
          </div>
        </>
      )}
      {(step === 'check' || step === 'import') && (
        <>
          {isBusy && <ImportProgress isChecking={run.state === 'checking'} rows={run.rows} />}
          {(run.state === 'clean' || run.state === 'done') && (
            <ImportSummary result={run.result}>
              {run.state === 'done' && (
                <Link to="/models/$model" params={{ model: model.key }} className="button button-plain">
                  {text.toList(model.label)}
                </Link>
              )}
            </ImportSummary>
          )}
          {run.state === 'rejected' &&
            (isRejectedFile(run.error) ? (
              <ImportErrors
                error={run.error.titled((name) => fieldOf(model, name)?.label ?? name)}
                lines={content?.lines ?? []}
                columnOf={columnOf}
                fileName={source?.name ?? text.pastedCells}
              />
            ) : (
              <Failure error={run.error} />
            ))}
          <div className="actions">
            {run.state === 'done' ? (
              <Button onClick={again}>{text.again}</Button>
            ) : (
              <>
                <Button disabled={isBusy} onClick={() => setStep('columns')}>
                  {text.back}
                </Button>
                {run.state === 'rejected' && (
                  <Button disabled={isBusy} onClick={() => setStep('file')}>
                    {text.chooseOther}
                  </Button>
                )}
                <Button
                  kind="primary"
                  disabled={run.state !== 'clean' && run.state !== 'importing'}
                  isBusy={run.state === 'importing'}
                  onClick={toImport}
                >
                  <StartLabel rows={'result' in run ? run.result.total : undefined} />
                </Button>
              </>
            )}
          </div>
        </>
      )}
    </div>
  )
}

const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

let lastId = 0
const nextId = () => ++lastId

/** Returns a ref for the heading of the step, which gets the focus when another step is shown. */
function useHeadingFocus(step: ImportStep) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    heading.current?.focus()
  }, [step])
  return heading
}

/** True if a table, or records as JSON, can be checked: at least one column is a field, and no format is open. */
const isReady = (hasColumns: boolean, map: ImportMap | undefined, ambiguous: readonly string[]): boolean =>
  !hasColumns || (map !== undefined && ambiguous.length === 0 && Object.values(map.columns ?? {}).some((field) => field !== null))

/** True for a table with a head alone. */
const hasNoRows = ({ table, lines }: Pick<ImportContent, 'table' | 'lines'> = { table: undefined, lines: [] }): boolean =>
  table !== undefined && lines.length === 0

/** The number of records and columns of a source. */
function ContentFacts({ content: { table, lines } }: { readonly content: ImportContent }) {
  const text = useLaterText().import
  const locale = useLocale()
  if (table === undefined) return null
  if (lines.length === 0) return <Notice kind="warning">{text.noRows}</Notice>
  return <p role="status">{text.found(lines.length, lines.length.toLocaleString(locale), table.headers.length)}</p>
}

function TooLarge({ name, bytes }: { readonly name: string; readonly bytes: number }) {
  const text = useLaterText().import
  const locale = useLocale()
  return <Notice kind="error">{text.tooLarge(name, (bytes / 1024 / 1024).toLocaleString(locale))}</Notice>
}

function Waiting({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  return error === null ? <Skeleton /> : <Failure error={error} onRetry={onRetry} />
}

function StartLabel({ rows }: { readonly rows: number | undefined }) {
  const text = useLaterText().import
  const locale = useLocale()
  return rows === undefined ? text.start : text.startRows(rows, rows.toLocaleString(locale))
}
