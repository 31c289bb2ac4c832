import '../styles/saved-views.css'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import type { SavedView } from '../../client/client.ts'
import { groupNamesQuery } from '../data/accounts.ts'
import { useSession } from '../data/page-session.ts'
import { may, modelOf, useSite, useSiteRefresh } from '../data/site.ts'
import { useAction } from '../panels/use-action.ts'
import { Button } from '../parts/button.tsx'
import { LabelledField, SelectField } from '../parts/field.tsx'
import { focusContent } from '../parts/page-header.tsx'
import { Dialog } from '../parts/popups.tsx'
import { Failure } from '../parts/states.tsx'
import { useToasts } from '../parts/toast.tsx'
import { useLaterText } from '../text/later.ts'
import { useText } from '../text/text.tsx'
import { ChangedViews } from './changed-views.tsx'
import type { ShownViews } from './use-view-changes.ts'
import { savedQuery } from './view-changes.ts'
import { forgetLook, NOT_WRITTEN, storedLook, type ViewValues, writeView } from './view-writes.ts'

interface ViewDialogProps {
  readonly shown: Omit<ShownViews, 'view' | 'all'>
  /** The view to rename and share; undefined for a new one of what the list shows. */
  readonly saved: SavedView | undefined
  readonly onClose: () => void
}

type Sharing = Pick<ViewValues, 'everyone' | 'groups' | 'default_for'>

const sharingOf = (view: SavedView | undefined): Sharing => ({
  everyone: view?.everyone === true,
  groups: view?.groups ?? [],
  default_for: view?.default_for ?? null,
})

/** Names a saved view, shares it, and says for whom it opens by default. */
export function ViewDialog({ shown, saved, onClose }: ViewDialogProps) {
  const { model, state, change, look, opened, base } = shown
  const { common } = useText()
  const { views: text } = useLaterText()
  const site = useSite()
  const refresh = useSiteRefresh()
  const toasts = useToasts()
  const form = useId()
  const { isBusy, error, run } = useAction()
  const [name, setName] = useState(saved?.name ?? '')
  const [fault, setFault] = useState<string>()
  const nameInput = useRef<HTMLInputElement>(null)
  const [sharing, setSharing] = useState(sharingOf(saved))
  /** The view as the dialog shows it, which may change elsewhere meanwhile. */
  const [edited, setEdited] = useState(saved)
  const [changed, setChanged] = useState<readonly SavedView[]>([])
  const owner = saved?.user_id ?? site.user.id
  /** True once the button that opened the dialog is another, or gone. */
  const isReplaced = useRef(false)
  useEffect(
    () => () => {
      // After the dialog has given the focus back.
      if (isReplaced.current) setTimeout(focusContent)
    },
    [],
  )

  const submit = async (written = saved && edited) => {
    const title = name.trim()
    const isUsed = site.saved_views.some(
      (each) => each.id !== saved?.id && each.user_id === owner && each.model === model.key && each.name === title,
    )
    const found = title === '' ? text.noName : isUsed ? text.nameUsed : undefined
    setFault(found)
    if (found !== undefined) nameInput.current?.focus()
    if (found !== undefined || isBusy) return
    const shownValues = { model: model.key, query: savedQuery(state), look: storedLook(look.look) }
    const values = { name: title, ...sharing, ...(saved === undefined ? shownValues : {}) }
    let result = NOT_WRITTEN
    const isDone = await run(async (client) => {
      result = await writeView(client, site, { saved: written, values })
      // The address names the new view only when the page knows it. Until then a second Enter would save another.
      await refresh()
    })
    if (!isDone) return
    setChanged(result.changed)
    if (result.changed.length > 0) return
    // The version that the changes of the list began with is this one now.
    if (written !== undefined && base.current?.etag === written.etag) base.current = { ...written, etag: result.etag ?? '' }
    toasts.done(text.saved(title))
    isReplaced.current = saved === undefined
    onClose()
    if (saved !== undefined) return
    // The new view has them now.
    forgetLook(opened)
    change({ ...state, view: String(result.id) })
  }
  const refused = {
    views: changed,
    saveAnyway: () => {
      setEdited(saved)
      setChanged([])
      void submit(saved)
    },
    reload: () => {
      setEdited(saved)
      setName(saved?.name ?? name)
      setSharing(saved === undefined ? sharing : sharingOf(saved))
      setChanged([])
    },
    close: () => setChanged([]),
  }

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={saved === undefined ? text.saveTitle : text.editTitle}
      description={saved === undefined ? text.saveText : undefined}
      actions={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind="primary" type="submit" form={form} isBusy={isBusy}>
            {common.save}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="list-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {error !== undefined && <Failure error={error} />}
        <LabelledField label={text.name} errors={fault === undefined ? [] : [fault]} isRequired>
          {(links) => (
            <input
              {...links}
              ref={nameInput}
              className="input"
              value={name}
              maxLength={60}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </LabelledField>
        <SharedWith {...{ sharing, setSharing }} saved={edited} />
        <DefaultFor {...{ sharing, setSharing }} isOwn={owner === site.user.id} />
      </form>
      {changed.length > 0 && <ChangedViews {...refused} />}
    </Dialog>
  )
}

interface SharingProps {
  readonly sharing: Sharing
  readonly setSharing: (sharing: Sharing) => void
}

/** Who sees a saved view beside its owner: groups, or everyone. */
function SharedWith({ saved, sharing, setSharing }: SharingProps & { readonly saved: SavedView | undefined }) {
  const { views: text } = useLaterText()
  const { capabilities } = useSite()
  const groups = useGroups(saved)
  const { everyone } = sharing
  const offersEveryone = capabilities.share_views || saved?.everyone === true
  if (groups.length === 0 && !offersEveryone) return undefined
  const toggle = (id: number) =>
    setSharing({
      ...sharing,
      groups: sharing.groups.includes(id) ? sharing.groups.filter((each) => each !== id) : [...sharing.groups, id],
    })
  return (
    <fieldset className="view-sharing">
      <legend className="field-label">{text.sharing}</legend>
      <ul>
        {offersEveryone && (
          <li>
            <label>
              <input type="checkbox" checked={everyone} onChange={() => setSharing({ ...sharing, everyone: !everyone })} />
              {text.everyone}
            </label>
          </li>
        )}
        {groups.map(({ id, name }) => (
          <li key={id}>
            <label>
              <input type="checkbox" checked={sharing.groups.includes(id)} onChange={() => toggle(id)} />
              {name}
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}

/** The groups that a saved view may be shared with, and those that it is shared with. */
function useGroups(saved: SavedView | undefined): readonly { readonly id: number; readonly name: string }[] {
  const site = useSite()
  const session = useSession()
  const { data } = useQuery({
    ...groupNamesQuery(session),
    enabled: site.capabilities.share_views && may(modelOf(site, 'group'), 'view'),
  })
  const all = new Map(site.user.groups.map(({ id, name }) => [id, name]))
  for (const { id, name } of data ?? []) all.set(id, name)
  for (const id of saved?.groups ?? []) if (!all.has(id)) all.set(id, `#${id}`)
  return [...all].map(([id, name]) => ({ id, name }))
}

/** For whom a saved view opens with the list. */
function DefaultFor({ sharing, setSharing, isOwn }: SharingProps & { readonly isOwn: boolean }) {
  const { views: text } = useLaterText()
  const { capabilities } = useSite()
  const value = sharing.default_for ?? ''
  const options = [
    { value: '', label: text.noDefault },
    { value: 'user', label: isOwn ? text.defaultForMe : text.defaultForOwner },
    { value: 'all', label: text.defaultForAll },
  ]
  const offered = options.filter(
    (option) =>
      option.value === value ||
      option.value === '' ||
      (option.value === 'user' ? isOwn : capabilities.share_views && (sharing.everyone || sharing.groups.length > 0)),
  )
  return (
    <SelectField
      label={text.opens}
      value={value}
      options={offered}
      onChange={(next) => setSharing({ ...sharing, default_for: next === 'user' || next === 'all' ? next : null })}
    />
  )
}
