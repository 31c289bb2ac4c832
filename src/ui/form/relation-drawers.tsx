import { useLocation, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { may, useModel } from '../data/site.ts'
import { lazyPart } from '../parts/lazy-part.ts'
import { LoadedPopup } from '../parts/loaded.tsx'
import { type SearchParams, valuesOf } from '../search-params.ts'
import { RelatedContext } from '../widgets/use-related.ts'
import { CreateDialog } from './new-record.tsx'
import { isOtherPage, LeavingContext, type PageChange } from './use-leave-guard.tsx'

const RecordDrawer = lazyPart(() => import('./record-drawer.tsx').then((module) => module.RecordDrawer))

declare module '@tanstack/history' {
  interface HistoryState {
    /** True for an address that a click on this page has led to: Back closes its last drawer. */
    readonly isDrawer?: boolean
  }
}

/** The records that an address opens in drawers, each within the drawer before it: `open=patient.3&open=doctor.2`. */
const openIn = (search: SearchParams): readonly string[] => valuesOf(search, 'open')

/** What the relations of a form can do. @param depth number of drawers around the form */
function useActions(depth: number) {
  const navigate = useNavigate()
  return useMemo(() => {
    const open = (model: string, id: number) =>
      void navigate({
        to: '.',
        search: (search: SearchParams) => ({ ...search, open: [...openIn(search).slice(0, depth), `${model}.${id}`] }),
        state: (state) => ({ ...state, isDrawer: true }),
        resetScroll: false,
      })
    return { CreateDialog, open }
  }, [depth, navigate])
}

/** Lets the relations of a form create related records, and open them in a drawer, which is in the address. */
export function RelationDrawers({ children }: { readonly children: ReactNode }) {
  return (
    <RelatedContext value={useActions(0)}>
      {children}
      <Drawer depth={0} />
    </RelatedContext>
  )
}

/** The drawer that the address opens within some others, if any; with those within it. */
function Drawer({ depth }: { readonly depth: number }) {
  const actions = useActions(depth + 1)
  const router = useRouter()
  const navigate = useNavigate()
  const isOpenedHere = useLocation({ select: ({ state }) => state.isDrawer === true })
  const reference = openIn(useSearch({ strict: false }))[depth]
  const [key = '', id = ''] = reference?.split('.') ?? []
  const model = useModel(key)
  if (reference === undefined || model === undefined || !may(model, 'view') || !/^[1-9]\d{0,15}$/.test(id)) return undefined
  const isLeaving = (change: PageChange) => isOtherPage(change) || openIn(change.next.search)[depth] !== reference
  const close = (isSaved: boolean) => {
    if (isOpenedHere) return router.history.back({ ignoreBlocker: isSaved })
    void navigate({
      to: '.',
      search: (search: SearchParams) => ({ ...search, open: openIn(search).slice(0, depth) }),
      state: true,
      replace: true,
      resetScroll: false,
      ignoreBlocker: isSaved,
    })
  }
  return (
    <LoadedPopup onFail={() => close(false)}>
      <RelatedContext value={actions}>
        <LeavingContext value={isLeaving}>
          <RecordDrawer key={reference} model={model} id={Number(id)} onClose={close}>
            <Drawer depth={depth + 1} />
          </RecordDrawer>
        </LeavingContext>
      </RelatedContext>
    </LoadedPopup>
  )
}
