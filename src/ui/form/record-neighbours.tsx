import '../styles/records.css'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { useRecordPlace } from '../data/record-order.ts'
import { useKeys } from '../layout/page-keys.tsx'
import { IconButton } from '../parts/button.tsx'
import { focusContent } from '../parts/page-header.tsx'
import { useToasts } from '../parts/toast.tsx'
import { errorMessage } from '../text/error-message.ts'
import { useLocale, useText } from '../text/text.tsx'

/** Buttons and keys that open the next and the previous record of the list from which the record was opened; nothing without a list. */
export function RecordNeighbours({ model, id }: { readonly model: string; readonly id: number }) {
  const text = useText()
  const locale = useLocale()
  const toasts = useToasts()
  const shown = useRecordPlace(model, id)
  const isFirst = shown === undefined || shown.place === 0
  const isLast = shown === undefined || shown.place >= shown.total - 1
  const move = async (by: -1 | 1) => {
    if (by === 1 ? isLast : isFirst) return
    try {
      if ((await shown?.go(by)) === true) focusContent()
      else toasts.failed(text.form.neighbourGone(by === 1))
    } catch (error) {
      toasts.failed(text.form.neighbourFailed, errorMessage(error, text.errors))
    }
  }
  const latest = useRef(move)
  latest.current = move
  useKeys(useMemo(() => ({ j: () => void latest.current(1), k: () => void latest.current(-1) }), []))
  if (shown === undefined) return undefined
  const number = (value: number) => value.toLocaleString(locale)
  return (
    <span className="record-place">
      <span>{text.form.place(number(shown.place + 1), number(shown.total))}</span>
      <IconButton
        label={text.form.previousRecord}
        icon={<ChevronUp size={16} aria-hidden />}
        aria-disabled={isFirst || undefined}
        onClick={() => void move(-1)}
      />
      <IconButton
        label={text.form.nextRecord}
        icon={<ChevronDown size={16} aria-hidden />}
        aria-disabled={isLast || undefined}
        onClick={() => void move(1)}
      />
    </span>
  )
}
