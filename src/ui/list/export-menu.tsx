import { Download } from 'lucide-react'
import { useState } from 'react'
import type { ExportFileFormat, SiteModel } from '../../client/client.ts'
import { type PageSession, useSession } from '../data/page-session.ts'
import { fileNameOf, saveFile } from '../data/save-file.ts'
import type { ListView } from '../data/views.ts'
import { Button } from '../parts/button.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { LazyMenu } from '../parts/popups.tsx'
import { useToasts } from '../parts/toast.tsx'
import { localDay } from '../text/days.ts'
import { errorMessage } from '../text/error-message.ts'
import { useText } from '../text/text.tsx'
import type { ListColumn } from './columns.ts'
import type { ExportChoice } from './export-choices.tsx'
import { type ListSelection, type Matches, selectedCount } from './selection.ts'

/** The columns of a list, in their order. */
export interface ShownList {
  readonly view: ListView
  readonly columns: readonly ListColumn[]
}

const ExportChoices = partOnUse(() => import('./export-choices.tsx').then((module) => module.ExportChoices))

interface ExportMenuProps {
  readonly model: SiteModel
  readonly selection: ListSelection
  readonly matches: Matches
  /** Sort keys of the file. */
  readonly sort: readonly string[]
  readonly shown: ShownList
}

/** Downloads the selected records as a file. */
export function ExportMenu({ model, selection, matches, sort, shown }: ExportMenuProps) {
  const text = useText()
  const session = useSession()
  const toasts = useToasts()
  const [isBusy, setBusy] = useState(false)
  const count = selectedCount(selection)

  const start = async ({ format, isShown }: ExportChoice) => {
    setBusy(true)
    try {
      const query = { format, ...(isShown ? shownQuery(shown, format) : {}) }
      const blob = await session.run((client) => exportFile(client.model(model.key), { query, selection, matches, sort }))
      saveFile(blob, fileNameOf(`${model.label} ${localDay(new Date())}`, format))
      toasts.done(text.list.exported(count))
    } catch (error) {
      const message = error instanceof TooManyRecords ? text.list.exportTooMany(error.limit) : errorMessage(error, text.errors)
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
      <ExportChoices trigger={trigger} count={count} onChoose={(choice) => void start(choice)} />
    </LazyMenu>
  )
}

/** The query of an export of what a list shows. */
const shownQuery = ({ view, columns }: ShownList, format: ExportFileFormat) => ({
  labels: true,
  bom: format === 'csv',
  fields: columns.map(({ name }) => name),
  list_id: view.generated === true ? undefined : view.name,
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
})

type Records = ReturnType<PageSession['client']['model']>

interface ExportRequest {
  readonly query: ReturnType<typeof shownQuery> | { readonly format: ExportFileFormat }
  readonly selection: ListSelection
  readonly matches: Matches
  readonly sort: readonly string[]
}

/** Maximum number of records that an export names by id: more would make the URL too long for the server. */
const MAX_IDS = 1000
const PAGE_SIZE = 100

/** More records were picked, or found by a search, than an export can name by id. */
class TooManyRecords extends Error {
  readonly limit = MAX_IDS
}

/**
 * The selected records as a file.
 *
 * An export has filters, but no words to search for: records that a search has found are named by id.
 *
 * @throws {TooManyRecords} for more than 1,000 records by id
 * @throws {AdminError}
 */
async function exportFile(records: Records, { query, selection, matches, sort }: ExportRequest): Promise<Blob> {
  const { allOf, ids } = selection
  const isFiltered = allOf !== undefined && matches.q === ''
  const named = async () => idFilter(allOf === undefined ? [...ids] : await foundIds(records, matches))
  const { filters, any } = isFiltered ? matches : { filters: [await named()], any: [] }
  const response = await records.export({ ...query, filters, any, sort })
  return response.blob()
}

function idFilter(ids: readonly number[]): string {
  if (ids.length > MAX_IDS) throw new TooManyRecords()
  return `id__in=${ids.join(',')}`
}

/** Ids of all records that a search finds. */
async function foundIds(records: Records, { q, filters, any }: Matches): Promise<readonly number[]> {
  const ids: number[] = []
  for (let page = 1; ; page += 1) {
    const { data, total, has_next } = await records.search(q, { filters, any, complete: true, page, page_size: PAGE_SIZE })
    if (total > MAX_IDS) throw new TooManyRecords()
    ids.push(...data.map(({ id }) => id))
    if (!has_next) return ids
  }
}
