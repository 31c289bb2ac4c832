import { Tabs as Base } from '@base-ui/react/tabs'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useText } from '../text/text.tsx'

interface PageHeaderProps {
  readonly title: ReactNode
  /** Link to the page above. */
  readonly above?: ReactNode
  /** Short facts beside the title. */
  readonly facts?: ReactNode
  /** Buttons, the main one last. */
  readonly actions?: ReactNode
}

/** Title and actions of a page. */
export function PageHeader({ title, above, facts, actions }: PageHeaderProps) {
  return (
    <header className="page-header">
      {above !== undefined && <div className="page-above">{above}</div>}
      <h1 className="page-title">{title}</h1>
      {facts !== undefined && <div className="page-facts">{facts}</div>}
      {actions !== undefined && <div className="page-actions">{actions}</div>}
    </header>
  )
}

interface TabProps {
  readonly value: string
  readonly label: string
  /** True if what the tab holds has kept the page from saving. */
  readonly isFaulty?: boolean
  readonly content: ReactNode
}

interface TabsProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly tabs: readonly TabProps[]
  /** Name of the list of tabs. */
  readonly label: string
}

/** Areas of a page of which one is shown. */
export function Tabs({ value, onChange, tabs, label }: TabsProps) {
  const text = useText().form
  return (
    <Base.Root value={value} onValueChange={onChange}>
      <Base.List className="tabs" aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className="tab">
            {tab.label}
            {tab.isFaulty && <CircleAlert size={14} className="tab-fault" role="img" aria-label={text.hasFaults} />}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="tab-panel">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}

/** Moves the focus to the content of the page, after the element that had it has gone. */
export function focusContent(): void {
  document.getElementById('content')?.focus({ preventScroll: true })
}
