import { Maximize2 } from 'lucide-react'
import { type ComponentProps, type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from '../parts/button.tsx'
import { Dialog } from '../parts/popups.tsx'
import { useText } from '../text/text.tsx'

interface TextAreaProps extends ComponentProps<'textarea'> {
  readonly value: string
  readonly ref?: RefObject<HTMLTextAreaElement | null>
}

/** An input of several lines, which grows with its text. */
export function TextArea({ ref, value, className, ...props }: TextAreaProps) {
  const own = useRef<HTMLTextAreaElement>(null)
  const area = ref ?? own
  useLayoutEffect(() => {
    // Some browsers grow it by the style sheet.
    if (area.current === null || value === undefined || CSS.supports('field-sizing', 'content')) return
    const { style } = area.current
    style.height = 'auto'
    const borders = area.current.offsetHeight - area.current.clientHeight
    style.height = `${area.current.scrollHeight + borders}px`
  }, [area, value])
  return <textarea {...props} ref={area} className={['textarea', className].filter(Boolean).join(' ')} value={value} />
}

interface FullScreenProps {
  /** Title of the larger input. */
  readonly label: string
  /** Renders the input, in its place and over the whole window; both with the same value. */
  readonly children: (isFull: boolean) => ReactNode
}

/** An input with a button, beside the label of the field, that shows it over the whole window. Escape leads back, and what was typed stays. */
export function FullScreen({ label, children }: FullScreenProps) {
  const text = useText().form
  const [isFull, setFull] = useState(false)
  return (
    <div className="area">
      {children(false)}
      <IconButton
        className="area-full"
        label={text.fullScreen}
        icon={<Maximize2 size={14} aria-hidden />}
        onClick={() => setFull(true)}
      />
      <Dialog isOpen={isFull} onClose={() => setFull(false)} title={label} shape="full">
        {children(true)}
      </Dialog>
    </div>
  )
}
