import { CatchBoundary, useNavigate, useParams } from '@tanstack/react-router'
import { Keyboard, Search } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { may, modelOf, useSite } from '../data/site.ts'
import { IconButton } from '../parts/icon-button.tsx'
import { useToasts } from '../parts/popups/toast.tsx'
import { useText } from '../text/text.tsx'
import { useKeys } from './use-keys.ts'

const Palette = lazy(() => import('../palette/palette.tsx').then(({ Palette }) => ({ default: Palette })))
const KeyHelp = lazy(() => import('./key-help.tsx').then(({ KeyHelp }) => ({ default: KeyHelp })))

/** The keys of the whole page, with buttons for those who do not know them. */
export function PageKeys() {
  const text = useText().shell
  const [open, setOpen] = useState<'palette' | 'help'>()
  const site = useSite()
  const toasts = useToasts()
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
  // The code of the dialog could not be loaded; the page stays.
  const fail = (error: unknown) => {
    close()
    toasts.failed(text.loadFailed, error instanceof Error ? error.message : undefined)
  }
  return (
    <>
      <button type="button" className="palette-button" aria-label={text.palette} onClick={() => setOpen('palette')}>
        <Search size={14} aria-hidden />
        <span>{text.palette}</span>
      </button>
      <IconButton
        className="shell-keys"
        label={text.keys}
        icon={<Keyboard size={18} aria-hidden />}
        onClick={() => setOpen('help')}
      />
      <CatchBoundary getResetKey={() => open ?? ''} onCatch={fail} errorComponent={Nothing}>
        <Suspense>
          {open === 'palette' && <Palette onClose={close} />}
          {open === 'help' && <KeyHelp onClose={close} />}
        </Suspense>
      </CatchBoundary>
    </>
  )
}

const Nothing = () => null
