import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { type ReactNode, use, useState } from 'react'
import { useSession } from '../data/page-session.ts'
import { nameOf, optionsOf, optionsQuery, type Related } from '../data/related.ts'
import { may } from '../data/site.ts'
import { useNoun } from '../data/use-views.ts'
import { usePause } from '../hooks.ts'
import { Button } from '../parts/button.tsx'
import type { Option } from '../parts/combobox.tsx'
import { Failure } from '../parts/states.tsx'
import { matchingOptions } from '../text/format.ts'
import { useLocale, useText } from '../text/text.tsx'
import { RelatedContext, type useRelated } from './use-related.ts'

interface PickerOptions {
  readonly related: ReturnType<typeof useRelated>
  /** Called with a record that was created for the picker. */
  readonly onCreated: (created: Related) => void
}

interface Picker {
  readonly combobox: {
    readonly options: readonly Option[]
    readonly search: string
    readonly onSearch: (search: string) => void
    readonly isOpen: boolean
    readonly onOpenChange: (isOpen: boolean) => void
    readonly isLoading: boolean
    readonly isDisabled: boolean
    readonly footer: ReactNode
    readonly failure: ReactNode
  }
  /** The record that an option stands for. */
  readonly relatedOf: (option: Option) => Related
  /** Says why the chosen records are shown as ids, if they are. */
  readonly reason: ReactNode
  /** The dialog that creates a record, while it is open. */
  readonly dialog: ReactNode
}

/** What pickers of related records share: search on the server while open, and the creation of a record. */
export function usePicker({ related, onCreated }: PickerOptions): Picker {
  const { target, canList } = related
  const text = useText().relation
  const locale = useLocale()
  const noun = useNoun()
  const session = useSession()
  const [isOpen, setOpen] = useState(false)
  const [search, setSearch] = useState('')
  // What was searched for when the creation began: the search is emptied when the popup closes.
  const [begun, setBegun] = useState<string>()
  const CreateDialog = use(RelatedContext)?.CreateDialog
  const settled = usePause(search)
  const found = useQuery({ ...optionsQuery(session, target, settled), enabled: isOpen && canList })
  const options = canList ? optionsOf(found.data ?? [], locale) : []
  // Until the answer for the search is there, only options that match it: Enter must not choose one of the former search.
  const isCurrent = settled === search && !found.isPlaceholderData
  const canCreate = CreateDialog !== undefined && may(target, 'add')
  const startCreation = () => {
    setOpen(false)
    setBegun(search.trim())
  }
  return {
    combobox: {
      options: isCurrent ? options : matchingOptions(options, search),
      search,
      onSearch: setSearch,
      isOpen,
      onOpenChange: (open) => {
        setOpen(open)
        if (open) setSearch('')
      },
      isLoading: found.isFetching || settled !== search,
      isDisabled: !canList && !canCreate,
      footer: canCreate ? (
        <Button kind="quiet" icon={<Plus size={14} aria-hidden />} onClick={startCreation}>
          {text.createAndSelect(target === undefined ? '' : noun(target), search.trim())}
        </Button>
      ) : undefined,
      failure: found.error === null ? undefined : <Failure error={found.error} onRetry={() => void found.refetch()} />,
    },
    relatedOf: ({ value }) => found.data?.find(({ id }) => String(id) === value) ?? related.relatedOf(Number(value)),
    reason: <Reason related={related} />,
    dialog:
      begun !== undefined && CreateDialog !== undefined && target !== undefined ? (
        <CreateDialog
          model={target}
          typed={begun}
          onClose={(record) => {
            setBegun(undefined)
            if (record !== undefined) onCreated({ id: record.id, label: nameOf(record, target) })
          }}
        />
      ) : undefined,
  }
}

/** Says why related records are shown as ids: the user may not see their texts, or these could not be read. */
function Reason({ related: { canList, error, retry } }: Pick<PickerOptions, 'related'>) {
  const text = useText().relation
  if (!canList) return <p className="field-help">{text.hidden}</p>
  return error === null ? undefined : <Failure error={error} onRetry={retry} />
}
