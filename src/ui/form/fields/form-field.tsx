import type { SiteField, SiteModel } from '../../../client/client.ts'
import { Cell } from '../../cells/cell.tsx'
import type { AnyRecord } from '../../data/records.ts'
import { fieldOf } from '../../data/site.ts'
import { type FieldView, type FormView, helpOf } from '../../data/views.ts'
import { Field } from '../../parts/field.tsx'
import { useText } from '../../text/text.tsx'
import { type WidgetKind, widgetKind } from '../../widgets/kind.ts'
import { Widget } from '../../widgets/widget.tsx'
import { faultsOf } from './fault-text.ts'

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
  ...(['number', 'range', 'checkbox', 'switch', 'select', 'date', 'time', 'datetime', 'color', 'relation'] as const),
])

/** The label of a field in a form. */
export const titleOf = (view: FieldView, field: SiteField): string => view.title ?? field.label

/** The label of a field by its name: that of the form, otherwise of the model; the name itself for a field that neither has. */
export function labelIn(form: FormView | undefined, model: SiteModel | undefined, name: string): string {
  const field = model === undefined ? undefined : fieldOf(model, name)
  const view = form?.fields.find((each) => each.name === name)
  return view?.title ?? field?.label ?? name
}

/** A field of a form with its label, help and messages. */
export function FormField({ view, field, model, value, onChange, errors = [], record, wasTried }: FormFieldProps) {
  const text = useText().form
  const kind = widgetKind(view, field)
  const isBox = kind === 'checkbox' || kind === 'switch'
  const isStoredPassword = kind === 'password' && record !== undefined
  const help = [helpOf(view, field), isStoredPassword ? text.passwordUnchanged : undefined]
    .filter((each) => each !== undefined)
    .join('. ')
  return (
    <div className={NARROW.has(kind) ? 'form-cell' : 'form-cell form-cell-wide'}>
      <Field
        label={titleOf(view, field)}
        name={view.name}
        help={help === '' ? undefined : help}
        errors={[...faultsOf(value, text, wasTried), ...errors]}
        isRequired={(view.required || field.required) && !isBox && !isStoredPassword}
        shape={isBox ? 'row' : 'column'}
      >
        {(links) => <Widget field={view} model={model} value={value} onChange={onChange} links={links} record={record} />}
      </Field>
    </div>
  )
}

/** A field of a form that is only shown. */
export function ShownField({ view, field, record }: Pick<FormFieldProps, 'view' | 'field' | 'record'>) {
  const isWide = !NARROW.has(widgetKind(view, field))
  return (
    <div className={isWide ? 'form-cell form-cell-wide' : 'form-cell'}>
      <dl className="field shown" data-field={view.name}>
        <dt className="field-label">{titleOf(view, field)}</dt>
        <dd className="shown-value">
          <Cell field={field} view={view} value={record?.[field.name]} record={record} />
        </dd>
      </dl>
    </div>
  )
}
