import { useParams } from '@tanstack/react-router'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useId } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { usePreference } from '../use-preference.ts'
import { ModelLink } from './model-link.tsx'

interface ModelGroupProps {
  readonly title: string
  readonly models: readonly SiteModel[]
  /** True while the menu shows matches, which a folded group must not hide. */
  readonly isFiltered: boolean
}

/** The models of a group of the menu. The browser remembers which groups are folded. */
export function ModelGroup({ title, models, isFiltered }: ModelGroupProps) {
  const { model: active } = useParams({ strict: false })
  const list = useId()
  const [folded = [], setFolded] = usePreference('foldedGroups')
  const isOpen = isFiltered || !folded.includes(title)
  const toggle = () => setFolded(folded.includes(title) ? folded.filter((name) => name !== title) : [...folded, title])
  return (
    <section className="menu-group">
      <h2 className="menu-group-title">
        <button type="button" className="menu-fold" aria-expanded={isOpen} aria-controls={list} onClick={toggle}>
          <span className="menu-link-text">{title}</span>
          {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
        </button>
      </h2>
      <ul className="menu-list" id={list} hidden={!isOpen}>
        {isOpen &&
          models.map((model) => (
            <li key={model.key}>
              <ModelLink model={model} isActive={model.key === active} />
            </li>
          ))}
      </ul>
    </section>
  )
}
