import type { SavedView } from '../../client/client.ts'
import { useSite } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/popups.tsx'
import { formatList } from '../text/format.ts'
import { useLaterText } from '../text/later.ts'
import { useLocale, useText } from '../text/text.tsx'

/** A save of a view that was refused, since views were changed elsewhere. */
export interface RefusedSave {
  /** The views that were changed elsewhere. */
  readonly views: readonly SavedView[]
  /** Saves over the changes. */
  readonly saveAnyway: () => void
  /** Shows the view as it is now. */
  readonly reload: () => void
  readonly close: () => void
}

/** Says that saved views were changed elsewhere since the page read them, and asks which version is kept. */
export function ChangedViews({ views, saveAnyway, reload, close }: RefusedSave) {
  const { common } = useText()
  const { views: text } = useLaterText()
  const locale = useLocale()
  const { saved_views: present } = useSite()
  const names = views.map(({ id, name }) => present.find((view) => view.id === id)?.name ?? name)
  return (
    <Dialog
      isOpen
      onClose={close}
      title={text.changedElsewhere(formatList(names, locale), names.length)}
      description={text.changedElsewhereText}
      actions={
        <>
          <Button onClick={close}>{common.cancel}</Button>
          <Button onClick={reload}>{text.reload}</Button>
          <Button kind="danger" onClick={saveAnyway}>
            {text.saveAnyway}
          </Button>
        </>
      }
    />
  )
}
