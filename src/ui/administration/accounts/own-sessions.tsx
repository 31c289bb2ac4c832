import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ownSessionsQuery } from '../../data/accounts.ts'
import { Button } from '../../parts/button.tsx'
import { Failure } from '../../parts/failure.tsx'
import { useToasts } from '../../parts/popups/toast.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useSession } from '../../session/use-session.ts'
import { useText } from '../../text/text.tsx'
import { useAction } from '../use-action.ts'
import { SessionTable } from './session-table.tsx'

/** The sessions of the user who is logged in; all but the present one can be ended. */
export function OwnSessions() {
  const text = useText().account
  const queries = useQueryClient()
  const toasts = useToasts()
  const { isBusy, error: failure, run } = useAction()
  const { data, error, refetch } = useQuery({ ...ownSessionsQuery(useSession()), refetchOnMount: 'always' })
  const others = data?.filter(({ current }) => !current) ?? []

  const end = async (ids: readonly number[]) => {
    const isDone = await run(async (client) => {
      for (const id of ids) await client.endSession(id)
    })
    if (isDone) toasts.done(text.ended(ids.length))
    await queries.invalidateQueries({ queryKey: ['sessions'] })
  }

  return (
    <section className="stack" aria-labelledby="own-sessions">
      <header className="section-header">
        <h2 id="own-sessions">{text.sessions}</h2>
        {others.length > 1 && (
          <Button isBusy={isBusy} onClick={() => void end(others.map(({ id }) => id))}>
            {text.endOthers}
          </Button>
        )}
      </header>
      {failure !== undefined && <Failure error={failure} />}
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data !== undefined && (
        <SessionTable
          sessions={data}
          actionOf={({ id, current }) =>
            !current && (
              <Button isBusy={isBusy} onClick={() => void end([id])}>
                {text.end}
              </Button>
            )
          }
        />
      )}
    </section>
  )
}
