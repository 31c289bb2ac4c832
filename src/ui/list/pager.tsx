import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight, type LucideIcon } from 'lucide-react'
import { type FormEvent, useId } from 'react'
import type { Page } from '../../client/client.ts'
import type { AnyRecord } from '../data/records.ts'
import { IconButton } from '../parts/button.tsx'
import { useLocale, useText } from '../text/text.tsx'
import { type ChangeList, PAGE_SIZES } from './list-state.ts'

/** Chooses the page of a list and its size. */
export function Pager({ page: shown, onChange }: { readonly page: Page<AnyRecord>; readonly onChange: ChangeList }) {
  const text = useText().list
  const locale = useLocale()
  const id = useId()
  const { page, page_size, total, total_pages, data } = shown
  const first = (page - 1) * page_size + 1
  const number = (value: number) => value.toLocaleString(locale)
  const sizes = [...new Set([...PAGE_SIZES, page_size])].sort((one, other) => one - other)

  const go = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const wanted = Number(new FormData(event.currentTarget).get('page'))
    if (Number.isInteger(wanted)) onChange({ page: Math.min(Math.max(wanted, 1), total_pages) })
  }

  return (
    <nav className="pager" aria-label={text.pages}>
      <span className="pager-range">{text.range(number(first), number(first + data.length - 1), number(total))}</span>
      <label className="pager-size">
        <span>{text.pageSize}</span>
        <select className="input" value={page_size} onChange={(event) => onChange({ pageSize: Number(event.target.value) })}>
          {sizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </select>
      </label>
      {total_pages > 1 && (
        <div className="pager-pages">
          <PageButton label={text.firstPage} Icon={ChevronsLeft} isDisabled={page <= 1} onGo={() => onChange({ page: 1 })} />
          <PageButton
            label={text.previousPage}
            Icon={ChevronLeft}
            isDisabled={page <= 1}
            onGo={() => onChange({ page: page - 1 })}
          />
          <form className="pager-form" onSubmit={go}>
            <label htmlFor={id}>{text.page}</label>
            <input
              key={page}
              id={id}
              name="page"
              className="input"
              type="number"
              inputMode="numeric"
              min={1}
              max={total_pages}
              defaultValue={page}
            />
            <span>{text.ofPages(number(total_pages))}</span>
          </form>
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
