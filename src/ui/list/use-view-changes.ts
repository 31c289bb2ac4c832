import { type RefObject, useState } from 'react'
import type { SavedView, SiteModel } from '../../client/client.ts'
import { viewSearch } from '../data/saved-views.ts'
import { useSite, useSiteRefresh } from '../data/site.ts'
import type { ListView } from '../data/views.ts'
import { useAction } from '../panels/use-action.ts'
import { focusContent } from '../parts/page-header.tsx'
import { useToasts } from '../parts/toast.tsx'
import { errorMessage } from '../text/error-message.ts'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import type { RefusedSave } from './changed-views.tsx'
import type { ListColumn } from './columns.ts'
import { type ChangeList, type ListState, readListState } from './list-state.ts'
import type { LookState } from './use-look.ts'
import { isChanged, savedQuery } from './view-changes.ts'
import { forgetLook, NOT_WRITTEN, storedLook, writeView } from './view-writes.ts'

/** What a list shows, and the saved view that was opened. */
export interface ShownViews {
  readonly model: SiteModel
  readonly view: ListView
  /** All columns that the list can have. */
  readonly all: readonly ListColumn[]
  readonly state: ListState
  readonly change: ChangeList
  readonly look: LookState
  readonly opened: SavedView | undefined
  /** The opened view as it was before the list was made to differ from it. */
  readonly base: RefObject<SavedView | undefined>
}

interface ViewChanges {
  /** True if the list differs from the opened view. */
  readonly isChanged: boolean
  readonly isBusy: boolean
  /** Saves what the list shows in the opened view; returns true if it is saved. */
  readonly save: () => Promise<boolean>
  /** Saves a state in the opened view, and shows it; returns true if it is saved. */
  readonly saveState: (state: ListState) => Promise<boolean>
  /** Shows the opened view as it was saved. */
  readonly discard: () => void
  /** A save that was refused, since views were changed elsewhere. */
  readonly refused: RefusedSave | undefined
}

/** What differs from the opened saved view, and what can be done with it. */
export function useViewChanges({ state, change, look, opened, base }: ShownViews): ViewChanges {
  const { errors } = useText()
  const { views: text } = useLaterText()
  const site = useSite()
  const refresh = useSiteRefresh()
  const toasts = useToasts()
  const { isBusy, run } = useAction()
  const [conflict, setConflict] = useState<{ readonly views: readonly SavedView[]; readonly state: ListState }>()
  const differs = opened !== undefined && isChanged(opened, state, look)
  // What others change meanwhile must not become the version that the changes of the list began with.
  if (!differs || base.current?.id !== opened.id) base.current = opened
  const saveState = async (next: ListState): Promise<boolean> => {
    if (opened === undefined || isBusy) return false
    const values = { query: savedQuery(next), look: storedLook(look.look) }
    let written = NOT_WRITTEN
    const isDone = await run(async (client) => {
      try {
        written = await writeView(client, site, { saved: base.current ?? opened, values })
      } catch (error) {
        toasts.failed(text.saveFailed(opened.name), errorMessage(error, errors))
        throw error
      }
      await refresh()
    })
    if (!isDone) return false
    const { changed: views, etag = '' } = written
    setConflict(views.length > 0 ? { views, state: next } : undefined)
    if (views.length > 0) return false
    base.current = { ...opened, etag }
    toasts.done(text.saved(opened.name))
    if (next !== state) change(next, true)
    return true
  }
  const discard = () => {
    forgetLook(opened)
    if (opened !== undefined) change(readListState(viewSearch(opened)))
  }
  const close = () => setConflict(undefined)
  const refused = conflict && {
    views: conflict.views,
    saveAnyway: () => {
      close()
      base.current = opened
      void saveState(conflict.state).then((isSaved) => isSaved && focusContent())
    },
    reload: () => {
      close()
      discard()
      // After the dialog has given the focus back to the button, which goes.
      setTimeout(focusContent)
    },
    close,
  }
  return { isChanged: differs, isBusy, save: () => saveState(state), saveState, discard, refused }
}
