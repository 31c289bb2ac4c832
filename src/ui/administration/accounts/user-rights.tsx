import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type AnyRecord, refreshModel } from '../../data/records.ts'
import { fieldOf, modelOf, useSite } from '../../data/site.ts'
import { type FieldView, helpOf } from '../../data/views.ts'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { useToasts } from '../../parts/popups/toast.tsx'
import { useText } from '../../text/text.tsx'
import { Widget } from '../../widgets/widget.tsx'
import { useAction } from '../use-action.ts'
import { mergedIds, permissionIds } from './permission-rows.ts'
import { SaveActions } from './save-actions.tsx'

interface UserRightsProps {
  /** A record of the model `user`. */
  readonly record: AnyRecord
  /** Called after the record was changed. */
  readonly onSaved: () => void
}

/** What this panel edits of a user. */
interface Rights {
  readonly groups: readonly number[]
  readonly is_superuser: boolean
}

const rightsOf = (record: AnyRecord): Rights => ({
  groups: permissionIds(record.groups),
  is_superuser: record.is_superuser === true,
})

/** The groups of a user, and whether the user is a superuser. Forms seldom have these fields, since only superusers may set them. */
export function UserRights({ record, onSaved }: UserRightsProps) {
  const { users: text } = useText()
  const model = modelOf(useSite(), 'user')
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error, fieldErrors, run } = useAction()
  const stored = rightsOf(record)
  // The rights that the edits began with: what others change meanwhile is kept.
  const [edits, setEdits] = useState<{ readonly before: Rights; readonly after: Rights }>()
  const { before, after } = edits ?? { before: stored, after: stored }
  const areGroupsChanged = after.groups.length !== before.groups.length || after.groups.some((id) => !before.groups.includes(id))
  const isChanged = areGroupsChanged || after.is_superuser !== before.is_superuser
  const change = (rights: Partial<Rights>) => setEdits({ before, after: { ...after, ...rights } })

  const save = async () => {
    const isDone = await run(async (client) => {
      const users = client.model('user')
      const { data, etag } = await users.read(record.id)
      const groups = mergedIds(permissionIds(data.groups), new Set(before.groups), new Set(after.groups))
      const changes = {
        ...(areGroupsChanged && { groups }),
        ...(after.is_superuser !== before.is_superuser && { is_superuser: after.is_superuser }),
      }
      await users.update(record.id, changes, { if_match: etag })
    })
    if (!isDone) return
    toasts.done(text.rightsSaved)
    setEdits(undefined)
    onSaved()
    await refreshModel(queries, 'user')
  }

  if (model === undefined) return null
  const inputs = [
    { name: 'groups', value: after.groups, onChange: (next: unknown) => change({ groups: permissionIds(next) }) },
    { name: 'is_superuser', value: after.is_superuser, onChange: (next: unknown) => change({ is_superuser: next === true }) },
  ]
  return (
    <div className="stack">
      {error !== undefined && Object.keys(fieldErrors).length === 0 && <Failure error={error} />}
      {inputs.map(({ name, value, onChange }) => {
        const field = fieldOf(model, name)
        if (field === undefined) return undefined
        const view: FieldView = { name, field_type: field.type, title: field.label, ...NO_FLAGS }
        return (
          <Field
            key={name}
            label={field.label}
            help={helpOf(view, field)}
            errors={fieldErrors[name]}
            shape={field.type === 'boolean' ? 'row' : 'column'}
          >
            {(links) => <Widget {...{ model, value, onChange, links, record }} field={view} />}
          </Field>
        )
      })}
      <SaveActions
        label={text.saveRights}
        onSave={() => void save()}
        onCancel={() => setEdits(undefined)}
        {...{ isBusy, isChanged }}
      />
    </div>
  )
}

const NO_FLAGS = { required: false, readonly: false, disabled: false, is_primary_key: false }
