import type { SiteField } from '../../client/client.ts'
import { idOf, labelOf } from '../data/related.ts'
import { useModel } from '../data/site.ts'
import { Chip } from '../parts/chip.tsx'

/** Chips that are shown; further records are counted and named on hover. */
const SHOWN = 3

/** Related records as chips. */
export function ManyCell({ field, value }: { readonly field: SiteField; readonly value: unknown }) {
  const display = useModel(field.relation?.model ?? '')?.display_field ?? 'id'
  const names = (Array.isArray(value) ? (value as readonly unknown[]) : []).map((each) => namedIn(each, display))
  const further = names.slice(SHOWN)
  return (
    <span className="cell-chips">
      {names.slice(0, SHOWN).map(({ id, label }) => (
        <Chip key={id}>{label}</Chip>
      ))}
      {further.length > 0 && (
        <span className="cell-further" title={further.map(({ label }) => label).join(', ')}>
          +{further.length}
        </span>
      )}
    </span>
  )
}

function namedIn(related: unknown, display: string): { readonly id: number | undefined; readonly label: string } {
  const id = idOf(related)
  return { id, label: labelOf(related, display) ?? `#${id}` }
}
