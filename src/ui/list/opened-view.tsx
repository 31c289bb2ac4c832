import '../styles/saved-views.css'
import { useState } from 'react'
import { useSite } from '../data/site.ts'
import { Button } from '../parts/button.tsx'
import { focusContent } from '../parts/page-header.tsx'
import { Notice } from '../parts/states.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { ChangedViews } from './changed-views.tsx'
import { type ShownViews, useViewChanges } from './use-view-changes.ts'
import { viewFaults } from './view-changes.ts'
import { ViewDialog } from './view-dialog.tsx'

/** What is to be said of the saved view that an address names: that the list differs from it, or that parts or all of it are gone. */
export function OpenedView(shown: ShownViews) {
  const { common } = useText()
  const { views: text } = useLaterText()
  const site = useSite()
  const { state, change, opened } = shown
  const { isChanged, isBusy, save, saveState, discard, refused } = useViewChanges(shown)
  const [isNaming, setNaming] = useState(false)
  if (opened === undefined) {
    return (
      <Notice
        kind="info"
        actions={
          <Button
            onClick={() => {
              change({ view: undefined, page: state.page }, true)
              focusContent()
            }}
          >
            {common.close}
          </Button>
        }
      >
        {text.gone}
      </Notice>
    )
  }
  const { names, rest } = viewFaults({ ...shown, site }, state)
  const mayChange = opened.can.includes('change')
  return (
    <>
      {names.length > 0 && (
        <Notice
          kind="warning"
          actions={
            mayChange && (
              <Button isBusy={isBusy} onClick={() => void focusAfter(saveState(rest))}>
                {text.saveWithout}
              </Button>
            )
          }
        >
          {text.broken(opened.name, names.join(', '))}
        </Notice>
      )}
      {isChanged && (
        <section className="view-changes" aria-label={text.changes}>
          <span className="view-state">{text.changed}</span>
          {mayChange && (
            <Button isBusy={isBusy} onClick={() => void focusAfter(save())}>
              {text.saveChanges(opened.name)}
            </Button>
          )}
          {!mayChange && <Button onClick={() => setNaming(true)}>{text.saveNew}</Button>}
          <Button
            kind="quiet"
            className="view-discard"
            onClick={() => {
              discard()
              focusContent()
            }}
          >
            {text.discard}
          </Button>
        </section>
      )}
      {refused && <ChangedViews {...refused} />}
      {isNaming && <ViewDialog shown={shown} saved={undefined} onClose={() => setNaming(false)} />}
    </>
  )
}

/** Moves the focus to the content when a view is saved, unless it has left the button, which goes then. */
async function focusAfter(saving: Promise<boolean>): Promise<void> {
  const button = document.activeElement
  const isSaved = await saving
  if (isSaved && [button, document.body].includes(document.activeElement)) focusContent()
}
