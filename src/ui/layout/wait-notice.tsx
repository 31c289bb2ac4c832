import { useEffect, useState, useSyncExternalStore } from 'react'
import { Notice } from '../parts/notice.tsx'
import type { RequestWait } from '../session/request-waits.ts'
import { useSession } from '../session/use-session.ts'
import { useText } from '../text/text.tsx'

/** Says at the edge of the page that refused requests wait, and for how long. */
export function WaitNotice() {
  const { waits } = useSession()
  const wait = useSyncExternalStore(waits.subscribe, waits.last)
  return wait === undefined ? undefined : <Countdown key={wait.until} wait={wait} />
}

function Countdown({ wait: { cause, until } }: { readonly wait: RequestWait }) {
  const text = useText().errors.waiting[cause]
  const [first] = useState(() => secondsUntil(until))
  const [seconds, setSeconds] = useState(first)
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsUntil(until)), 1000)
    return () => clearInterval(timer)
  }, [until])
  return (
    <div className="wait-notice">
      <Notice kind="info">
        {/* Assistive technologies announce the wait once, not each second of it. */}
        <span className="visually-hidden">{text(first)}</span>
        <span aria-hidden>{text(seconds)}</span>
      </Notice>
    </div>
  )
}

const secondsUntil = (time: number): number => Math.max(1, Math.ceil((time - Date.now()) / 1000))
