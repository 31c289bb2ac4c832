import { Rows3, Rows4 } from 'lucide-react'
import { usePreference } from '../hooks.ts'
import { IconButton } from '../parts/button.tsx'
import { useText } from '../text/text.tsx'

/** Makes the rows of all lists compact, or comfortable again. The browser keeps the choice. */
export function DensityButton() {
  const text = useText().list
  const [density, setDensity] = usePreference('density')
  const isCompact = density === 'compact'
  const Icon = isCompact ? Rows4 : Rows3
  return (
    <IconButton
      className="list-look"
      label={text.compact}
      icon={<Icon size={16} aria-hidden />}
      aria-pressed={isCompact}
      onClick={() => setDensity(isCompact ? undefined : 'compact')}
    />
  )
}
