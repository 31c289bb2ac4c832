import { Download } from 'lucide-react'
import { lazy, useState } from 'react'
import type { FileFormat, SiteModel } from '../../../client/client.ts'
import { Button } from '../../parts/button.tsx'
import { messageOf } from '../../parts/failure.tsx'
import { LazyMenu } from '../../parts/popups/lazy-menu.tsx'
import { useToasts } from '../../parts/popups/toast.tsx'
import { useSession } from '../../session/use-session.ts'
import { useText } from '../../text/text.tsx'
import { exportFile, TooManyRecords } from './export-file.ts'
import { type Matches, type Selection, selectedCount } from './selection.ts'

const ExportChoices = lazy(async () => ({ default: (await import('./export-choices.tsx')).ExportChoices }))

interface ExportMenuProps {
  readonly model: SiteModel
  readonly selection: Selection
  readonly matches: Matches
  /** Sort keys of the file. */
  readonly sort: readonly string[]
}

/** Downloads the selected records as a file. */
export function ExportMenu({ model, selection, matches, sort }: ExportMenuProps) {
  const text = useText()
  const session = useSession()
  const toasts = useToasts()
  const [isBusy, setBusy] = useState(false)
  const count = selectedCount(selection)

  const start = async (format: FileFormat) => {
    setBusy(true)
    try {
      const blob = await session.run((client) => exportFile(client.model(model.key), { format, selection, matches, sort }))
      download(blob, `${model.key}.${format}`)
      toasts.done(text.list.exported(count))
    } catch (error) {
      const message = error instanceof TooManyRecords ? text.list.exportTooMany(error.limit) : messageOf(error, text.errors)
      toasts.failed(text.list.exportFailed, message)
    }
    setBusy(false)
  }

  const trigger = (
    <Button icon={<Download size={16} aria-hidden />} aria-busy={isBusy || undefined}>
      {text.list.export}
    </Button>
  )
  return (
    <LazyMenu trigger={trigger}>
      <ExportChoices trigger={trigger} count={count} onChoose={(format) => void start(format)} />
    </LazyMenu>
  )
}

/** Saves a file as the browser saves downloads. */
function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 1000)
}
