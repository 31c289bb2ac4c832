import { useLocation, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { Site } from '../../client/client.ts'
import { modelOf } from '../data/site.ts'
import { useText } from '../text/text.tsx'

/** Names the page in the title of the window: the model and the record, the import, or the page of the menu and its webhook. */
export function usePageTitle(site: Site): void {
  const { shell: text, import: ofImport } = useText()
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
  const name = model ?? (page === undefined ? undefined : pages[page])
  const label = name === undefined ? text.dashboard : id === undefined ? name : `${name} #${id}`
  const isImport = model !== undefined && pathname.endsWith('/import')
  const title = `${isImport ? ofImport.title(model) : label} · ${site.title}`
  useEffect(() => {
    document.title = title
  }, [title])
}
