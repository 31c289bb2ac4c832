import { useLocation, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Site } from '../../client/client.ts'
import { modelOf } from '../data/site.ts'
import { useText } from '../text/text.tsx'

/** Names the page in the title of the window: the model and the record, or the page of the menu. */
export function usePageTitle(site: Site): void {
  const text = useText().shell
  const { pathname } = useLocation()
  const { model: key, id } = useParams({ strict: false })
  const pages: Readonly<Record<string, string>> = {
    history: text.history,
    webhooks: text.webhooks,
    account: text.account,
    tools: text.tools,
  }
  const page = Object.keys(pages).find((name) => pathname.startsWith(`/${name}`))
  const model = key === undefined ? undefined : modelOf(site, key)?.label
  const record = model !== undefined && id !== undefined ? `${model} #${id}` : undefined
  const label = record ?? model ?? (page === undefined ? undefined : pages[page]) ?? text.dashboard
  useEffect(() => {
    document.title = `${label} · ${site.title}`
  }, [label, site.title])
}
