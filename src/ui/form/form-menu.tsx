import { useNavigate } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import type { FormView } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { Menu, MenuChoice } from '../parts/menu.tsx'
import { useText } from '../text/text.tsx'

interface FormMenuProps {
  readonly forms: readonly FormView[]
  readonly form: FormView
}

/** Chooses one of several forms; the choice is in the address. Nothing if there is only one. */
export function FormMenu({ forms, form }: FormMenuProps) {
  const text = useText().form
  const navigate = useNavigate()
  if (forms.length < 2) return undefined
  const choose = (name: string) =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, form: name === forms[0]?.name ? undefined : name }),
      replace: true,
    })
  return (
    <Menu
      trigger={
        <Button kind="quiet" icon={<ChevronDown size={14} aria-hidden />}>
          {text.formNamed(form.name)}
        </Button>
      }
    >
      <MenuChoice
        label={text.form}
        value={form.name}
        options={forms.map(({ name }) => ({ value: name, label: name }))}
        onChange={choose}
      />
    </Menu>
  )
}
