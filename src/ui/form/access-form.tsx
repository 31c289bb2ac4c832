import { useQuery } from '@tanstack/react-query'
import { useId, useMemo } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { groupPermissionsQuery } from '../data/administration.ts'
import { useSession } from '../data/page-session.ts'
import { idsOf } from '../data/related.ts'
import { fieldOf, may, useModel } from '../data/site.ts'
import type { FieldView, FormView } from '../data/views.ts'
import { PermissionMatrix } from '../panels/permission-matrix.tsx'
import { Failure, Notice } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { FormFields } from './form-fields.tsx'
import { FormFrame } from './form-frame.tsx'
import type { RecordEdits } from './use-record-edits.ts'

interface AccessFormProps {
  /** Id of the form, for the button in the head that submits it. */
  readonly id: string
  readonly model: SiteModel
  /** The form of the record, which may name the fields. */
  readonly form: FormView
  readonly edits: RecordEdits
  /** True for a user who may set the rights. */
  readonly isWritable: boolean
  readonly onSave: () => void
}

const NO_FLAGS = { required: false, readonly: false, disabled: false, is_primary_key: false }

/** The rights of a user or a group: superuser, groups and permissions, as far as the record has them. Those who may not set them read them. */
export function AccessForm({ id, model, form, edits, isWritable, onSave }: AccessFormProps) {
  const { errors: failures } = useText()
  const text = useLaterText().users
  const { base, rights, setValue, problems } = edits
  const names = Object.keys(rights)
  const groups = useGroups(idsOf(rights.groups ?? []))
  const own = useMemo(() => new Set(idsOf(rights.permissions)), [rights.permissions])
  const errors = problems?.fields ?? {}
  const faults = errors.permissions
  const faultsId = useId()
  const fields = names.flatMap((name): readonly FieldView[] => {
    const field = fieldOf(model, name)
    if (field === undefined || name === 'permissions') return []
    return [form.fields.find((each) => each.name === name) ?? { name, field_type: field.type, ...NO_FLAGS }]
  })
  const content = (
    <>
      <FormFields
        {...{ model, errors }}
        form={{ ...form, fields, groups: [] }}
        writable={isWritable ? names : []}
        hidden={NONE}
        record={base}
        values={rights}
        onChange={setValue}
        wasTried={problems !== undefined}
      />
      {names.includes('permissions') && (
        <section
          className="stack"
          aria-label={text.permissions}
          aria-describedby={faults && faultsId}
          data-field="permissions"
          data-invalid={faults && true}
        >
          {model.key === 'user' && (
            <header className="stack-tight">
              <h2>{text.permissions}</h2>
              {names.includes('groups') && <p className="field-help">{text.permissionsOfUser}</p>}
            </header>
          )}
          {rights.is_superuser === true && <Notice kind="info">{text.superuser}</Notice>}
          {groups.error !== null && <Failure error={groups.error} onRetry={() => void groups.refetch()} />}
          {faults !== undefined && (
            <p id={faultsId} className="field-errors">
              {faults.map(failures.fromServer).join('; ')}
            </p>
          )}
          <PermissionMatrix
            own={own}
            given={groups.given}
            onChange={isWritable ? (ids) => setValue('permissions', ids) : undefined}
          />
        </section>
      )}
    </>
  )
  if (!isWritable) return <div className="form">{content}</div>
  return (
    <FormFrame {...{ id, form, model, problems, onSave }} shown={names} values={rights}>
      {content}
    </FormFrame>
  )
}

const NONE: ReadonlySet<string> = new Set()

/** The names of some groups by the permissions that they give. */
function useGroups(ids: readonly number[]) {
  const isVisible = may(useModel('group'), 'view')
  const { data, error, refetch } = useQuery(groupPermissionsQuery(useSession(), isVisible ? ids : []))
  const given = useMemo(() => {
    const names = new Map<number, string[]>()
    for (const group of data ?? []) {
      if (!ids.includes(group.id)) continue
      for (const id of group.permissions) names.set(id, [...(names.get(id) ?? []), group.name])
    }
    return names
  }, [data, ids])
  return { given, error, refetch }
}
