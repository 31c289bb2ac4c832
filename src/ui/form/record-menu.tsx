import { useNavigate } from '@tanstack/react-router'
import { Copy, CopyPlus, Ellipsis, Trash2 } from 'lucide-react'
import type { SiteModel } from '../../client/client.ts'
import { type FormView, formTitle } from '../data/views.ts'
import { IconButton } from '../parts/button.tsx'
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../parts/menu.tsx'
import { useText } from '../text/text.tsx'

interface RecordMenuProps {
  readonly model: SiteModel
  /** The forms to choose from. */
  readonly forms: readonly FormView[]
  readonly form: FormView
  /** Opens a form with the values of the record; undefined where the user cannot create one. */
  readonly onDuplicate?: ((withRows: boolean) => void) | undefined
  /** Asks before the record is deleted; undefined where the user cannot delete it. */
  readonly onDelete?: (() => void) | undefined
}

/** What can be done with a record besides saving it, and its other forms; the chosen form is in the address. Nothing if there is none. */
export function RecordMenu({ model, forms, form, onDuplicate, onDelete }: RecordMenuProps) {
  const text = useText()
  const navigate = useNavigate()
  const hasForms = forms.length > 1
  if (!hasForms && onDuplicate === undefined && onDelete === undefined) return undefined
  const choose = (name: string) =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, form: name === forms[0]?.name ? undefined : name }),
      state: true,
      replace: true,
    })
  return (
    <Menu trigger={<IconButton label={text.common.more} icon={<Ellipsis size={16} aria-hidden />} />}>
      {onDuplicate !== undefined && (
        <MenuItem icon={<Copy size={14} aria-hidden />} onClick={() => onDuplicate(false)}>
          {text.form.duplicate}
        </MenuItem>
      )}
      {onDuplicate !== undefined && form.related !== undefined && (
        <MenuItem icon={<CopyPlus size={14} aria-hidden />} onClick={() => onDuplicate(true)}>
          {text.form.duplicateRows}
        </MenuItem>
      )}
      {hasForms && (
        <MenuChoice
          label={text.form.form}
          value={form.name}
          options={forms.map((each) => ({ value: each.name, label: formTitle(each, model) ?? text.form.mainForm }))}
          onChange={choose}
        />
      )}
      {onDelete !== undefined && (
        <>
          <MenuSeparator />
          <MenuItem isDanger icon={<Trash2 size={14} aria-hidden />} onClick={onDelete}>
            {text.common.delete}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
