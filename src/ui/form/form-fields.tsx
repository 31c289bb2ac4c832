import '../styles/record-dialogs.css'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { type ReactNode, use, useEffect, useMemo, useState } from 'react'
import type { FieldErrors, SiteField, SiteModel } from '../../client/client.ts'
import { Cell, LazyFiles } from '../cells/cell.tsx'
import type { AnyRecord } from '../data/records.ts'
import { fieldOf } from '../data/site.ts'
import { type FieldView, type FormView, helpOf, titleOf } from '../data/views.ts'
import { LabelledField } from '../parts/field.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { Loaded } from '../parts/loaded.tsx'
import { useText } from '../text/text.tsx'
import { faultsOf } from '../widgets/faults.ts'
import { takesFiles } from '../widgets/file-fields.ts'
import { type WidgetKind, widgetKind } from '../widgets/kind.ts'
import { RelatedValues } from '../widgets/relation-pickers.tsx'
import { Widget } from '../widgets/widget.tsx'
import { hasConditions, loadConditions, selfOf } from './conditions.ts'
import { type FormValues, valueIn } from './values.ts'

const NONE: ReadonlySet<string> = new Set()

/** Names of the fields that the form does not display for the values. Suspends until the conditions of the form are loaded. */
export function useHidden(
  form: FormView,
  model: SiteModel,
  record: AnyRecord | undefined,
  values: FormValues,
): ReadonlySet<string> {
  // Also of a promise that has ended: React fails if a component that has suspended calls `use` no more.
  const conditions = hasConditions(form) ? use(loadConditions(form)) : undefined
  return useMemo(() => conditions?.(selfOf(model, record, values)) ?? NONE, [conditions, model, record, values])
}

interface FormFieldsProps {
  readonly form: FormView
  readonly model: SiteModel
  /** Names of the fields that can be edited; others are shown if there is a record. */
  readonly writable: readonly string[]
  readonly hidden: ReadonlySet<string>
  /** The stored record; undefined for a new one. */
  readonly record: AnyRecord | undefined
  /** Edited values; they cover those of the record. */
  readonly values: FormValues
  readonly onChange: (name: string, value: unknown) => void
  readonly errors: FieldErrors
  readonly wasTried: boolean
}

/** The fields of a form, in groups. Fields without a group come first. */
export function FormFields(props: FormFieldsProps) {
  const { form, errors } = props
  const groups = form.groups ?? []
  const grouped = new Set(groups.flatMap(({ fields }) => fields))
  const byName = new Map(form.fields.map((field) => [field.name, field]))
  const ungrouped = rendered(
    props,
    form.fields.filter(({ name }) => !grouped.has(name)),
  )
  return (
    <>
      {ungrouped.length > 0 && <div className="form-grid">{ungrouped}</div>}
      {groups.map((group) => {
        const fields = rendered(
          props,
          group.fields.flatMap((name) => byName.get(name) ?? []),
        )
        const hasErrors = group.fields.some((name) => errors[name] !== undefined)
        return fields.length === 0 ? undefined : (
          <FormGroup key={group.title} title={group.title} isCollapsed={group.collapsed ?? false} hasErrors={hasErrors}>
            <div className="form-grid">{fields}</div>
          </FormGroup>
        )
      })}
    </>
  )
}

function rendered(props: FormFieldsProps, fields: readonly FieldView[]): ReactNode[] {
  const { model, writable, hidden, record, values, onChange, errors, wasTried } = props
  return fields.flatMap((view): ReactNode[] => {
    const field = fieldOf(model, view.name)
    // The facts beside the form have the id.
    if (field === undefined || view.is_primary_key || hidden.has(view.name)) return []
    if (!writable.includes(view.name)) {
      return record === undefined || field.type === 'password'
        ? []
        : [<ShownField key={view.name} view={view} field={field} record={record} />]
    }
    return [
      <FormField
        key={view.name}
        view={view}
        field={field}
        model={model}
        value={view.name in values ? values[view.name] : valueIn(record, field)}
        onChange={(value) => onChange(view.name, value)}
        errors={errors[view.name]}
        record={record}
        wasTried={wasTried}
      />,
    ]
  })
}

interface FormGroupProps {
  readonly title: string
  readonly isCollapsed: boolean
  /** Unfolds the group, so that no message stays unseen. */
  readonly hasErrors: boolean
  readonly children: ReactNode
}

/** Fields under a title that folds them. */
function FormGroup({ title, isCollapsed, hasErrors, children }: FormGroupProps) {
  const [isOpen, setOpen] = useState(!isCollapsed)
  useEffect(() => {
    if (hasErrors) setOpen(true)
  }, [hasErrors])
  return (
    <details className="form-group" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="form-group-title">
        <h2>{title}</h2>
        {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
      </summary>
      {children}
    </details>
  )
}

interface FormFieldProps {
  readonly view: FieldView
  readonly field: SiteField
  readonly model: SiteModel
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly errors: readonly string[] | undefined
  readonly record: AnyRecord | undefined
  /** True once the form was to be saved: numbers that are typed half are then named. */
  readonly wasTried: boolean
}

/** Kinds that take half of a row of a wide form. */
const NARROW: ReadonlySet<WidgetKind> = new Set([
  ...(['number', 'range', 'switch', 'select', 'date', 'time', 'datetime', 'color', 'relation'] as const),
])

/** A field of a form with its label, help and messages. */
function FormField({ view, field, model, value, onChange, errors = [], record, wasTried }: FormFieldProps) {
  const text = useText().form
  const kind = widgetKind(view, field)
  const isStoredPassword = kind === 'password' && record !== undefined
  const help = [helpOf(view, field), isStoredPassword ? text.passwordUnchanged : undefined]
    .filter((each) => each !== undefined)
    .join('. ')
  return (
    <div className={NARROW.has(kind) ? 'form-cell' : 'form-cell form-cell-wide'}>
      <LabelledField
        label={titleOf(view, field)}
        name={view.name}
        help={help === '' ? undefined : help}
        errors={[...faultsOf(value, text, wasTried), ...errors]}
        isRequired={(view.required || field.required) && kind !== 'switch' && !isStoredPassword}
      >
        {(links) => <Widget field={view} model={model} value={value} onChange={onChange} links={links} record={record} />}
      </LabelledField>
    </div>
  )
}

const Markdown = partOnUse(() => import('../cells/markdown.tsx').then((module) => module.Markdown))

/** A field of a form that is only shown. */
function ShownField({ view, field, record }: Pick<FormFieldProps, 'view' | 'field' | 'record'>) {
  const isWide = !NARROW.has(widgetKind(view, field))
  return (
    <div className={isWide ? 'form-cell form-cell-wide' : 'form-cell'}>
      <dl className="field shown" data-field={view.name}>
        <dt className="field-label">{titleOf(view, field)}</dt>
        <dd className="shown-value">
          {field.relation !== null && record !== undefined ? (
            <RelatedValues field={field} record={record} />
          ) : takesFiles(field) ? (
            <LazyFiles value={record?.[field.name]} isImage={field.type === 'image'} />
          ) : view.widget === 'markdown' && typeof record?.[field.name] === 'string' ? (
            <Loaded>
              <Markdown text={String(record[field.name])} />
            </Loaded>
          ) : (
            <Cell field={field} view={view} value={record?.[field.name]} record={record} />
          )}
        </dd>
      </dl>
    </div>
  )
}
