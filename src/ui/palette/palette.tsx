import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { siteSearchQuery } from '../data/search.ts'
import { useSite } from '../data/site.ts'
import { CommandList } from '../parts/command-list.tsx'
import { Failure } from '../parts/failure.tsx'
import { Dialog } from '../parts/popups/dialog.tsx'
import { useSession } from '../session/use-session.ts'
import { useText } from '../text/text.tsx'
import { usePause } from '../widgets/use-pause.ts'
import { matchingCommands } from './commands.ts'
import { useCommands } from './use-commands.tsx'
import { useRecordCommands } from './use-record-commands.tsx'

/** Finds models, actions and records by a few letters. Records are searched for after a pause in typing. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const text = useText()
  const session = useSession()
  const { capabilities } = useSite()
  const [query, setQuery] = useState('')
  const words = usePause(query.trim())
  const search = useQuery(siteSearchQuery(session, capabilities.search ? words : ''))
  const commands = useCommands(onClose)
  const records = useRecordCommands(words === '' ? [] : (search.data?.data ?? []), onClose)
  const isSearching = capabilities.search && query.trim() !== '' && (search.isFetching || words !== query.trim())
  const groups = [...matchingCommands(commands, query), ...(records === undefined ? [] : [records])]
  return (
    <Dialog isOpen onClose={onClose} title={text.palette.title} shape="top">
      <CommandList
        label={text.palette.label}
        query={query}
        onQuery={setQuery}
        groups={groups}
        empty={isSearching || search.error !== null ? undefined : text.common.noMatches}
        status={isSearching ? text.common.loading : undefined}
      />
      {search.error !== null && <Failure error={search.error} onRetry={() => void search.refetch()} />}
    </Dialog>
  )
}
