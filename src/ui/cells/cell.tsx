import { useRouter } from '@tanstack/react-router'
import { Check, ChevronDown, ChevronUp, X } from 'lucide-react'
import { type ComponentProps, type MouseEvent, memo, type ReactNode, useState } from 'react'
import type { SiteField } from '../../client/client.ts'
import type { ExcerptLimits, Places } from '../../client/excerpt.ts'
import type { RecordOrder } from '../data/record-order.ts'
import type { AnyRecord } from '../data/records.ts'
import { idOf, labelOf } from '../data/related.ts'
import { may, useModel } from '../data/site.ts'
import type { FieldView } from '../data/views.ts'
import { Chip } from '../parts/chip.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { Loaded } from '../parts/loaded.tsx'
import { formatAge, formatDate, formatDateTime, formatNumber, formatTime, utcText } from '../text/format.ts'
import { useLocale, useText } from '../text/text.tsx'
import { choiceOf, hasChoices, linkOf, plainView } from './choices.ts'
import { Marked } from './marked.tsx'

/** What a cell shows. */
interface CellProps {
  readonly field: SiteField
  /** The field in the view that shows the value; without one, the model alone says how. */
  readonly view?: FieldView | undefined
  readonly value: unknown
  /** The record that the value is of; it names related records. */
  readonly record?: AnyRecord | undefined
  /** Where the words of a search are in the value. */
  readonly places?: Places | undefined
}

/** A value of a field, to read. Values are shown as text, never as HTML. */
export const Cell = memo(function Cell({ field, view, value, record, places }: CellProps) {
  if (isEmpty(value)) return <Nothing />
  if (hasChoices(field))
    return <ChoiceCell field={field} view={view ?? plainView(field)} value={value} isFound={places !== undefined} />
  switch (field.type) {
    case 'many_to_many':
      return <ManyCell field={field} value={value} />
    case 'foreignkey':
    case 'one_to_one':
      return (
        <RelationCell field={field} value={value} related={field.relation === null ? undefined : record?.[field.relation.name]} />
      )
    case 'boolean':
      return <BooleanCell value={value === true} />
    case 'primarykey':
      return <span className="cell-id">{String(value)}</span>
    case 'integer':
    case 'number':
    case 'decimal':
      return <NumberCell value={value} decimals={view?.options?.decimal_places ?? field.bounds.decimal_places} />
    case 'date':
    case 'time':
    case 'datetime':
      return <DateCell type={field.type} value={String(value)} />
    case 'url':
    case 'email':
      return <LinkCell type={field.type} value={String(value)} places={places} />
    case 'json':
      return <JsonCell value={value} />
    case 'file':
    case 'image':
      return (
        <Loaded isQuiet fallback={<span className="cell-files" />}>
          <FileCell value={value} isImage={field.type === 'image'} />
        </Loaded>
      )
    default: {
      const shown = (text: string) => <TextCell value={text} places={places} />
      // What a search has found may be a mark, and has its place in the text as it is written.
      if (view?.widget !== 'markdown' || places !== undefined) return shown(String(value))
      return (
        <Loaded isQuiet fallback={shown(String(value))}>
          <MarkdownCell value={String(value)}>{shown}</MarkdownCell>
        </Loaded>
      )
    }
  }
})

const FileCell = partOnUse(() => import('./file-cell.tsx').then((module) => module.FileCell))

const ShownFiles = partOnUse(() => import('./file-cell.tsx').then((module) => module.ShownFiles))

const MarkdownCell = partOnUse(() => import('./markdown-cell.tsx').then((module) => module.MarkdownCell))

/** Files to read, each with its picture; their code is loaded when they are shown. */
export const LazyFiles = (props: ComponentProps<typeof ShownFiles>) => (
  <Loaded isQuiet fallback={<Nothing />}>
    <ShownFiles {...props} />
  </Loaded>
)

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** Stands for an empty value. */
const Nothing = () => (
  <span className="cell-nothing" aria-hidden>
    –
  </span>
)

/** Yes or no, as a mark. */
function BooleanCell({ value }: { readonly value: boolean }) {
  const text = useText().common
  const Icon = value ? Check : X
  return (
    <span className={value ? 'cell-boolean cell-true' : 'cell-boolean'}>
      <Icon size={16} aria-hidden />
      <span className="visually-hidden">{value ? text.yes : text.no}</span>
    </span>
  )
}

interface ChoiceCellProps {
  readonly field: SiteField
  readonly view: FieldView
  /** One of the choices, or a list of them. */
  readonly value: unknown
  /** True if a search has found the value, of which the label is shown. */
  readonly isFound: boolean
}

/** Choices as chips, with their labels and colours. */
function ChoiceCell({ field, view, value, isFound }: ChoiceCellProps) {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return (
    <span className="cell-chips">
      {values.map((each) => {
        const { key, label, color } = choiceOf(each, view, field)
        return (
          <Chip key={key} color={color}>
            {isFound ? <mark>{label}</mark> : label}
          </Chip>
        )
      })}
    </span>
  )
}

/** A JSON value: in one line while folded, indented while unfolded. */
function JsonCell({ value }: { readonly value: unknown }) {
  const line = JSON.stringify(value)
  return (
    <Fold
      short={<code className="cell-json">{line}</code>}
      long={<pre className="cell-json">{JSON.stringify(value, null, 2)}</pre>}
      isLong={line.length > 40}
    />
  )
}

interface TextCellProps {
  readonly value: string
  /** Where the words of a search are in the value. */
  readonly places: Places | undefined
}

/** A web or e-mail address as a link. */
function LinkCell({ type, value, places }: TextCellProps & { readonly type: 'url' | 'email' }) {
  const address = linkOf(type, value)
  const shown = places !== undefined ? oneLine(value, places) : type === 'url' ? value.replace(/^https?:\/\//i, '') : value
  if (address === undefined) return <span className={textClass(value)}>{shown}</span>
  return (
    <a className={textClass(value)} href={address} rel="noreferrer" target={type === 'url' ? '_blank' : undefined} title={value}>
      {shown}
    </a>
  )
}

/** Chips that are shown; further records are counted and named on hover. */
const SHOWN = 3

/** Related records as chips. */
function ManyCell({ field, value }: { readonly field: SiteField; readonly value: unknown }) {
  const display = useModel(field.relation?.model ?? '')?.display_field ?? 'id'
  const names = (Array.isArray(value) ? (value as readonly unknown[]) : []).map((each) => namedIn(each, display))
  const further = names.slice(SHOWN)
  return (
    <span className="cell-chips">
      {names.slice(0, SHOWN).map(({ id, label }) => (
        <Chip key={id}>{label}</Chip>
      ))}
      {further.length > 0 && (
        <span className="cell-further" title={further.map(({ label }) => label).join(', ')}>
          +{further.length}
        </span>
      )}
    </span>
  )
}

function namedIn(related: unknown, display: string): { readonly id: number | undefined; readonly label: string } {
  const id = idOf(related)
  return { id, label: labelOf(related, display) ?? `#${id}` }
}

/** A number in the browser's locale. Decimals are text, since they may have more digits than a number can hold. */
function NumberCell({ value, decimals }: { readonly value: unknown; readonly decimals: unknown }) {
  const locale = useLocale()
  if (typeof value !== 'number' && typeof value !== 'string') return <span className="cell-number">{String(value)}</span>
  return <span className="cell-number">{formatNumber(value, locale, typeof decimals === 'number' ? decimals : 0)}</span>
}

interface RelationCellProps {
  readonly field: SiteField
  /** Id of the related record. */
  readonly value: unknown
  /** The related record with its display field, as far as the user may view it. */
  readonly related: unknown
}

/** A related record by name, as a link; by its id if the user may not view it. */
function RelationCell({ field, value, related }: RelationCellProps) {
  const text = useText().cells
  const model = useModel(field.relation?.model ?? '')
  const id = String(value)
  if (model === undefined || !may(model, 'view')) {
    return (
      <span className="cell-id" title={text.notViewable}>
        #{id}
      </span>
    )
  }
  const name = (model.display_field === 'id' ? undefined : labelOf(related, model.display_field)) ?? `#${id}`
  return (
    <RecordLink model={model.key} id={id} className={textClass(name)} title={hintOf(name)}>
      {name}
    </RecordLink>
  )
}

/** Characters that a line of a column holds in most cases; a longer text can be unfolded. */
const SHORT = 48

/** What a line shows of a text that a search has found: the first match is in sight. */
const LINE: ExcerptLimits = { length: SHORT, lead: 16 }

/** A text of one line, in which the words of a search are marked. */
const oneLine = (value: string, places: Places | undefined): ReactNode =>
  places === undefined ? value : <Marked text={value} places={places} limits={LINE} />

/** A text in one line; a longer one can be unfolded. */
function TextCell({ value, places }: TextCellProps) {
  const isLong = value.length > SHORT || value.includes('\n')
  const short = (
    <span className={textClass(value)} title={isLong ? hintOf(value) : undefined}>
      {oneLine(value, places)}
    </span>
  )
  if (!isLong) return short
  const long = (
    <span className="cell-text cell-open">{places === undefined ? value : <Marked text={value} places={places} />}</span>
  )
  return <Fold short={short} long={long} isLong />
}

/** Characters of a text that its hint shows. */
const HINT = 500

/** The text of a cell as its hint on hover. */
const hintOf = (value: string): string => (value.length > HINT ? `${value.slice(0, HINT)} …` : value)

/** Texts that a line of a column holds for sure: columns are as wide as they need. */
const SHORT_LINK = /^[ -~]{0,36}$/

/**
 * The classes of a text of one line. Only one that may be longer is cut off: each element that cuts its contents off is drawn apart from
 * the others, which is slow in a list of thousands.
 */
const textClass = (text: string): string => (SHORT_LINK.test(text) ? 'cell-text' : 'cell-text cell-cut')

interface FoldProps {
  readonly short: ReactNode
  readonly long: ReactNode
  /** False if there is nothing to unfold. */
  readonly isLong: boolean
}

/** A long value, of which a line is shown until it is unfolded. */
function Fold({ short, long, isLong }: FoldProps) {
  const text = useText().cells
  const [isOpen, setOpen] = useState(false)
  if (!isLong) return short
  const Icon = isOpen ? ChevronUp : ChevronDown
  const label = isOpen ? text.fold : text.unfold
  return (
    <span className="cell-fold">
      {isOpen ? long : short}
      <button
        type="button"
        className="cell-button"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon size={14} aria-hidden />
      </button>
    </span>
  )
}

interface RecordLinkProps {
  /** Key of the model. */
  readonly model: string
  readonly id: string
  readonly className: string
  readonly title?: string
  /** The list that shows the record, for the page of the record. */
  readonly order?: (() => RecordOrder | undefined) | undefined
  readonly children: ReactNode
}

/** A link to the page of a record. It costs less than a `Link`, of which a list would have hundreds: it does not follow the address. */
export function RecordLink({ model, id, className, title, order, children }: RecordLinkProps) {
  const router = useRouter()
  const open = () => {
    const records = order?.()
    void router.navigate({ to: '/models/$model/$id', params: { model, id }, state: records === undefined ? {} : { records } })
  }
  return (
    <a
      href={`${router.basepath}/models/${encodeURIComponent(model)}/${encodeURIComponent(id)}`}
      className={className}
      title={title}
      onClick={plainClick(open)}
    >
      {children}
    </a>
  )
}

/** A handler of clicks on a link that opens a page in place of the browser, unless the user wants another tab or window. */
export const plainClick =
  (open: () => void) =>
  (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    open()
  }

/** A date or time in the browser's locale; a point in time shows its UTC value on hover. */
export function DateCell({ type, value }: { readonly type: 'date' | 'time' | 'datetime'; readonly value: string }) {
  const locale = useLocale()
  if (type === 'time') return <span className="cell-date">{formatTime(value)}</span>
  const shown = type === 'date' ? formatDate(value, locale) : formatDateTime(value, locale)
  return (
    <time className="cell-date" dateTime={value} title={type === 'datetime' ? utcText(value) : undefined}>
      {shown}
    </time>
  )
}

/** How long ago something happened, with the moment itself on hover. */
export function AgeCell({ value }: { readonly value: string }) {
  const locale = useLocale()
  return (
    <time className="cell-date" dateTime={value} title={`${formatDateTime(value, locale)}\n${utcText(value)}`}>
      {formatAge(value, Date.now(), locale)}
    </time>
  )
}

/** Types whose cells are links or have buttons, which a link cannot hold. */
const INTERACTIVE = new Set(['string', 'text', 'slug', 'uuid', 'url', 'email', 'json', 'foreignkey', 'one_to_one'])

/** A value as the text of a link to its record; the id for an empty value. */
export function NameCell({ field, view, value, record, places }: CellProps & { readonly record: AnyRecord }) {
  if (value === null || value === undefined || value === '') return <span className="cell-id">#{record.id}</span>
  if (!INTERACTIVE.has(field.type)) return <Cell field={field} view={view} value={value} places={places} />
  const related = field.relation === null ? undefined : record[field.relation.name]
  const name = relatedName(related) ?? (typeof value === 'string' ? value : JSON.stringify(value))
  return (
    <span className={textClass(name)} title={hintOf(name)}>
      {oneLine(name, places)}
    </span>
  )
}

/** The name of a related record, of which a list has only its id and its display field. */
function relatedName(related: unknown): string | undefined {
  if (typeof related !== 'object' || related === null) return undefined
  const display = Object.keys(related).find((name) => name !== 'id')
  return display === undefined ? undefined : labelOf(related, display)
}
