import '../styles/saved-views.css'
import { BookmarkPlus, BookmarkX, Pencil, Save, Trash2, Undo2 } from 'lucide-react'
import { type ReactElement, useState } from 'react'
import type { SavedView } from '../../client/client.ts'
import { NO_VIEW, viewSearch } from '../data/saved-views.ts'
import { useSite, useSiteRefresh } from '../data/site.ts'
import { Confirm } from '../panels/confirm.tsx'
import { useAction } from '../panels/use-action.ts'
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../parts/menu.tsx'
import { useToasts } from '../parts/toast.tsx'
import { formatList } from '../text/format.ts'
import { useLaterText } from '../text/later.ts'
import { useLocale, useText } from '../text/text.tsx'
import { ChangedViews } from './changed-views.tsx'
import { readListState } from './list-state.ts'
import { type ShownViews, useViewChanges } from './use-view-changes.ts'
import { ViewDialog } from './view-dialog.tsx'
import { deleteView } from './view-writes.ts'

/** The menu of the saved views of a list: opens them, saves what is shown, and changes the opened one. Open at first. */
export function SavedViews({ trigger, ...shown }: ShownViews & { readonly trigger: ReactElement }) {
  const { views: text } = useLaterText()
  const site = useSite()
  const { model, state, change, opened } = shown
  const { isChanged, isBusy, save, discard, refused } = useViewChanges(shown)
  const [dialog, setDialog] = useState<'new' | 'edit' | 'delete'>()
  const audience = useAudience()
  const ofModel = site.saved_views.filter((view) => view.model === model.key)
  const isOwn = ({ user_id }: SavedView) => user_id === site.user.id
  const optionOf = (view: SavedView) => ({ value: String(view.id), label: view.name, note: audience(view) })
  const choices = (label: string, views: readonly SavedView[]) =>
    views.length > 0 && (
      <MenuChoice
        label={label}
        value={String(opened?.id)}
        options={views.map(optionOf)}
        isClosing
        onChange={(value) => {
          const view = ofModel.find(({ id }) => String(id) === value)
          if (view !== undefined) change(readListState(viewSearch(view)))
        }}
      />
    )
  const isPlain = state.view === undefined || state.view === NO_VIEW
  return (
    <>
      <Menu trigger={trigger} isOpen>
        {choices(text.own, ofModel.filter(isOwn))}
        {choices(
          text.shared,
          ofModel.filter((view) => !isOwn(view)),
        )}
        {!isPlain && (
          <MenuItem icon={<BookmarkX size={14} aria-hidden />} onClick={() => change(readListState({}))}>
            {text.leave}
          </MenuItem>
        )}
        {(ofModel.length > 0 || !isPlain) && <MenuSeparator />}
        {opened?.can.includes('change') === true && isChanged && (
          <MenuItem icon={<Save size={14} aria-hidden />} isDisabled={isBusy} onClick={() => void save()}>
            {text.saveChanges(opened.name)}
          </MenuItem>
        )}
        {isChanged && (
          <MenuItem icon={<Undo2 size={14} aria-hidden />} onClick={discard}>
            {text.discard}
          </MenuItem>
        )}
        <MenuItem icon={<BookmarkPlus size={14} aria-hidden />} onClick={() => setDialog('new')}>
          {text.saveNew}
        </MenuItem>
        {opened?.can.includes('change') === true && (
          <MenuItem icon={<Pencil size={14} aria-hidden />} onClick={() => setDialog('edit')}>
            {text.edit(opened.name)}
          </MenuItem>
        )}
        {opened?.can.includes('delete') === true && (
          <MenuItem icon={<Trash2 size={14} aria-hidden />} onClick={() => setDialog('delete')} isDanger>
            {text.delete(opened.name)}
          </MenuItem>
        )}
      </Menu>
      {refused && <ChangedViews {...refused} />}
      {dialog === 'delete' && opened !== undefined && (
        <DeleteView view={opened} onClose={() => setDialog(undefined)} onDone={() => change({ ...state, view: undefined })} />
      )}
      {(dialog === 'new' || dialog === 'edit') && (
        <ViewDialog shown={shown} saved={dialog === 'edit' ? opened : undefined} onClose={() => setDialog(undefined)} />
      )}
    </>
  )
}

/** Returns a function that says who sees a view beside its owner, and for whom it opens by default; undefined for a plain view. */
function useAudience(): (view: SavedView) => string | undefined {
  const { views: text } = useLaterText()
  const { user } = useSite()
  const locale = useLocale()
  return ({ everyone, groups, default_for: defaultFor, user_id: owner }) => {
    const names = groups.flatMap((id) => user.groups.find((group) => group.id === id)?.name ?? [])
    const ofGroups = names.length === groups.length ? formatList(names, locale) : text.groups(groups.length)
    const shared = everyone === true ? text.everyone : groups.length > 0 ? ofGroups : undefined
    const isDefault = defaultFor === 'all' || (defaultFor === 'user' && owner === user.id)
    return [shared, isDefault ? text.isDefault : undefined].filter(Boolean).join(' · ') || undefined
  }
}

interface DeleteViewProps {
  readonly view: SavedView
  readonly onClose: () => void
  /** Called before the page knows that the view is gone. */
  readonly onDone: () => void
}

/** Asks before a saved view is deleted. What the list shows stays. */
function DeleteView({ view, onClose, onDone }: DeleteViewProps) {
  const { common } = useText()
  const { views: text } = useLaterText()
  const refresh = useSiteRefresh()
  const toasts = useToasts()
  const { isBusy, error, run } = useAction()
  const remove = async () => {
    if (!(await run((client) => deleteView(client, view)))) return
    onDone()
    onClose()
    toasts.done(text.deleted(view.name))
    await refresh()
  }
  const isShared = view.everyone === true || view.groups.length > 0
  return (
    <Confirm
      title={text.deleteTitle(view.name)}
      action={common.delete}
      isBusy={isBusy}
      error={error}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{isShared ? text.deleteShared : text.deleteText}</p>
    </Confirm>
  )
}
