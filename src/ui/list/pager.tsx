import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight, type LucideIcon } from 'lucide-react'
import { type FormEvent, useId, useState } from 'react'
import type { Page } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'
import { IconButton } from '../parts/button.tsx'
import { Select } from '../parts/select.tsx'
import { useLocale, useText } from '../text/text.tsx'
import { faultsOf } from '../widgets/faults.ts'
import { TypedNumber } from '../widgets/number-inputs.tsx'
import { Unparsed } from '../widgets/unparsed.ts'
import { type ChangeList, PAGE_SIZES } from './list-state.ts'

/** Chooses the page of a list and its size. */
export function Pager({ page: shown, onChange }: { readonly page: Page<AnyRecord>; readonly onChange: ChangeList }) {
  const text = useText().list
  const locale = useLocale()
  const sizeId = useId()
  const { page, page_size, total, total_pages, data } = shown
  const first = (page - 1) * page_size + 1
  const number = (value: number) => value.toLocaleString(locale)
  const sizes = [...new Set([...PAGE_SIZES, page_size])].sort((one, other) => one - other)

  return (
    <nav className="pager" aria-label={text.pages}>
      <span className="pager-range">{text.range(number(first), number(first + data.length - 1), number(total))}</span>
      <div className="pager-size">
        <label htmlFor={sizeId}>{text.pageSize}</label>
        <Select
          links={{ id: sizeId }}
          value={String(page_size)}
          options={sizes.map((size) => ({ value: String(size), label: number(size) }))}
          onChange={(size) => onChange({ pageSize: Number(size) })}
        />
      </div>
      {total_pages > 1 && (
        <div className="pager-pages">
          <PageButton label={text.firstPage} Icon={ChevronsLeft} isDisabled={page <= 1} onGo={() => onChange({ page: 1 })} />
          <PageButton
            label={text.previousPage}
            Icon={ChevronLeft}
            isDisabled={page <= 1}
            onGo={() => onChange({ page: page - 1 })}
          />
          <PageForm key={page} page={page} totalPages={total_pages} onGo={(wanted) => onChange({ page: wanted })} />
          <PageButton
            label={text.nextPage}
            Icon={ChevronRight}
            isDisabled={page >= total_pages}
            onGo={() => onChange({ page: page + 1 })}
          />
          <PageButton
            label={text.lastPage}
            Icon={ChevronsRight}
            isDisabled={page >= total_pages}
            onGo={() => onChange({ page: total_pages })}
          />
        </div>
      )}
    </nav>
  )
}

interface PageFormProps {
  readonly page: number
  readonly totalPages: number
  readonly onGo: (page: number) => void
}

/** Asks for the number of a page; the first or the last page is nearest to a number beyond. */
function PageForm({ page, totalPages, onGo }: PageFormProps) {
  const { list: text, form: faults } = useText()
  const locale = useLocale()
  const id = useId()
  const [wanted, setWanted] = useState<unknown>(page)
  const [wasTried, setTried] = useState(false)
  const [fault] = faultsOf(wanted, faults, wasTried)

  const go = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (wanted instanceof Unparsed) return
    const next = typeof wanted === 'number' ? Math.min(Math.max(wanted, 1), totalPages) : page
    setWanted(next)
    onGo(next)
  }

  return (
    <form className="pager-form" onSubmit={go}>
      <label htmlFor={id}>{text.page}</label>
      <TypedNumber
        type="integer"
        value={wanted}
        onChange={setWanted}
        links={{
          id,
          'aria-invalid': fault === undefined ? undefined : true,
          'aria-describedby': fault === undefined ? undefined : `${id}-fault`,
        }}
      />
      <span>{text.ofPages(totalPages.toLocaleString(locale))}</span>
      {fault !== undefined && (
        <span id={`${id}-fault`} className="field-errors" role="alert">
          {fault}
        </span>
      )}
    </form>
  )
}

interface PageButtonProps {
  readonly label: string
  readonly Icon: LucideIcon
  readonly isDisabled: boolean
  readonly onGo: () => void
}

/** At the first and the last page the button does nothing but keeps the focus. */
const PageButton = ({ label, Icon, isDisabled, onGo }: PageButtonProps) => (
  <IconButton
    label={label}
    icon={<Icon size={16} aria-hidden />}
    aria-disabled={isDisabled || undefined}
    onClick={isDisabled ? undefined : onGo}
  />
)
