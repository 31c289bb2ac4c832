import { useNavigate } from '@tanstack/react-router'
import type { SiteHit } from '../../client/client.ts'
import { modelOf, useSite } from '../data/site.ts'
import type { CommandGroup } from '../parts/command-list.tsx'
import { ModelIcon } from '../parts/icons/model-icon.tsx'
import { useText } from '../text/text.tsx'

/** Commands that open the records of a search; undefined without one. */
export function useRecordCommands(hits: readonly SiteHit[], onDone: () => void): CommandGroup | undefined {
  const text = useText().palette
  const site = useSite()
  const navigate = useNavigate()
  if (hits.length === 0) return undefined
  const items = hits.map(({ model, id, label }) => ({
    value: `record ${model} ${id}`,
    label: label === '' ? `#${id}` : label,
    note: modelOf(site, model)?.label ?? model,
    icon: <ModelIcon name={modelOf(site, model)?.icon ?? null} />,
    run: () => {
      onDone()
      void navigate({ to: '/models/$model/$id', params: { model, id: String(id) } })
    },
  }))
  return { value: text.records, items }
}
