import { type ReactNode, use, useMemo } from 'react'
import type { FieldErrors, SiteModel } from '../../../client/client.ts'
import type { AnyRecord } from '../../data/records.ts'
import { fieldOf } from '../../data/site.ts'
import type { FieldView, FormView } from '../../data/views.ts'
import { hasConditions, loadConditions, selfOf } from './conditions.ts'
import { FormField, ShownField } from './form-field.tsx'
import { FormGroup } from './form-group.tsx'
import { type Values, valueIn } from './values.ts'

const NONE: ReadonlySet<string> = new Set()

/** Names of the fields that the form does not display for the values. Suspends until the conditions of the form are loaded. */
export function useHidden(form: FormView, model: SiteModel, record: AnyRecord | undefined, values: Values): ReadonlySet<string> {
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
  readonly values: Values
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
