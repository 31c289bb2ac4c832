import { useNavigate, useParams } from '@tanstack/react-router'
import { Keyboard, Search } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { may, modelOf, useSite } from '../data/site.ts'
import { IconButton } from '../parts/button.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { LoadedPopup } from '../parts/loaded.tsx'
import { commandKey } from '../text/format.ts'
import { useText } from '../text/text.tsx'

const Palette = partOnUse(() => import('./palette.tsx').then((module) => module.Palette))
const KeyHelp = partOnUse(() => import('./key-help.tsx').then((module) => module.KeyHelp))

/** The keys of the whole page, with buttons for those who do not know them. */
export function PageKeys() {
  const { shell: text, keys: named } = useText()
  const [open, setOpen] = useState<'palette' | 'help'>()
  const site = useSite()
  const navigate = useNavigate()
  const { model: key } = useParams({ strict: false })
  const canCreate = key !== undefined && may(modelOf(site, key), 'add')
  const keys = useMemo(
    () => ({
      'mod+k': () => setOpen('palette'),
      '?': () => setOpen('help'),
      '/': () => document.querySelector<HTMLInputElement>('main input[type=search]')?.focus(),
      n: () => {
        if (canCreate) void navigate({ to: '/models/$model/new', params: { model: key } })
      },
    }),
    [canCreate, key, navigate],
  )
  useKeys(keys)
  const close = () => setOpen(undefined)
  return (
    <>
      <button type="button" className="palette-button" aria-label={text.palette} onClick={() => setOpen('palette')}>
        <Search size={14} aria-hidden />
        <span>{text.palette}</span>
        <kbd aria-hidden data-keys={`${commandKey(named.names)} K`} />
      </button>
      <IconButton
        className="shell-keys"
        label={text.keys}
        icon={<Keyboard size={18} aria-hidden />}
        onClick={() => setOpen('help')}
      />
      {open !== undefined && (
        <LoadedPopup onFail={close}>{open === 'palette' ? <Palette onClose={close} /> : <KeyHelp onClose={close} />}</LoadedPopup>
      )}
    </>
  )
}

/** What a key does; `mod` is Ctrl, or ⌘ on a Mac. */
type Keys = Readonly<Record<string, () => void>>

/** Inputs that take no text: a ticked box keeps the focus, and single keys still belong to the page. */
const TEXTLESS = ['button', 'checkbox', 'color', 'file', 'radio', 'range', 'reset', 'submit']
  .map((type) => `[type=${type}]`)
  .join()

/** Elements that take single letters: as text, or to choose an option. */
const TEXT_INPUTS = `input:not(${TEXTLESS}), textarea, [role=textbox], [role=combobox]`

/** True while the user types into something, where single letters are text. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(TEXT_INPUTS))
}

/** Messages at the edge of the page have the role of a dialog too, but keep no key from the page. */
const isDialogOpen = (): boolean =>
  document.querySelector(':is([role=dialog], [role=alertdialog]):not(.toast), [role=menu]') !== null

/**
 * Runs functions by keys of the whole page: `mod+k`, or a single key such as `?`. Single keys do nothing while the user types, and no key
 * does while a dialog or a menu is open.
 *
 * @param keys must be the same object until it should be replaced
 */
export function useKeys(keys: Keys): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const hasModifier = event.ctrlKey || event.metaKey
      if (event.altKey || event.defaultPrevented || isDialogOpen() || (!hasModifier && isTyping(event.target))) return
      const run = keys[hasModifier ? `mod+${event.key.toLowerCase()}` : event.key]
      if (run === undefined) return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [keys])
}
