import { useNavigate, useRouter } from '@tanstack/react-router'
import type { SiteModel } from '../../client/client.ts'
import { plainClick } from '../cells/cell.tsx'
import type { AnyRecord } from '../data/records.ts'
import type { SearchParams } from '../search-params.ts'
import { opening } from '../widgets/use-related.ts'

/** The attributes of a link to a record that opens in a drawer over the list, or in a tab where the user wants one. */
export function useRecordLinks(model: SiteModel): (record: AnyRecord) => Readonly<Record<string, unknown>> {
  const router = useRouter()
  const navigate = useNavigate()
  return ({ id }) => ({
    href: `${router.basepath}/models/${encodeURIComponent(model.key)}/${id}`,
    draggable: false,
    ...opening(model.key, id),
    onClick: plainClick(
      () =>
        void navigate({
          to: '.',
          search: (search: SearchParams) => ({ ...search, open: `${model.key}.${id}` }),
          state: (state) => ({ ...state, isDrawer: true }),
          resetScroll: false,
        }),
    ),
  })
}
