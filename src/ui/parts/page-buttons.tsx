import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { Page } from '../../client/client.ts'
import { useLocale, useText } from '../text/text.tsx'
import { IconButton } from './button.tsx'

interface PageButtonsProps {
  readonly page: Pick<Page<unknown>, 'page' | 'page_size' | 'total' | 'total_pages'>
  readonly onChange: (page: number) => void
}

/** Leads to the pages before and after; nothing for a single page. */
export function PageButtons({ page: { page, page_size, total, total_pages }, onChange }: PageButtonsProps) {
  const text = useText().list
  const locale = useLocale()
  if (total_pages <= 1 && page === 1) return null
  const number = (value: number) => value.toLocaleString(locale)
  const first = Math.min((page - 1) * page_size + 1, total)
  return (
    <nav className="page-buttons" aria-label={text.pages}>
      <span>{text.range(number(first), number(Math.min(page * page_size, total)), number(total))}</span>
      <IconButton
        label={text.previousPage}
        icon={<ChevronLeft size={16} aria-hidden />}
        aria-disabled={page <= 1 || undefined}
        onClick={() => page > 1 && onChange(page - 1)}
      />
      <IconButton
        label={text.nextPage}
        icon={<ChevronRight size={16} aria-hidden />}
        aria-disabled={page >= total_pages || undefined}
        onClick={() => page < total_pages && onChange(page + 1)}
      />
    </nav>
  )
}
