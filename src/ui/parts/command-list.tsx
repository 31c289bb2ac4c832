import { Autocomplete as Base } from '@base-ui/react/autocomplete'
import { Search } from 'lucide-react'
import type { ReactNode } from 'react'

/** Something that the list offers to do. */
export interface Command {
  /** Differs from that of every other command. */
  readonly value: string
  readonly label: string
  /** Where it belongs, such as the model of a record. */
  readonly note?: string
  readonly icon?: ReactNode
  readonly run: () => void
}

/** Commands under a title. */
export interface CommandGroup {
  readonly value: string
  readonly items: readonly Command[]
}

interface CommandListProps {
  readonly label: string
  readonly query: string
  readonly onQuery: (query: string) => void
  /** The commands that match the query, by group. */
  readonly groups: readonly CommandGroup[]
  /** Shown when no command matches. */
  readonly empty: ReactNode
  /** What is happening, for assistive technologies too. */
  readonly status?: string | undefined
}

/** An input with a list of commands below it. Arrow keys choose, Enter runs. The caller filters the commands. */
export function CommandList({ label, query, onQuery, groups, empty, status }: CommandListProps) {
  return (
    <Base.Root
      open
      inline
      items={groups as CommandGroup[]}
      value={query}
      onValueChange={(value, { reason }) => reason !== 'item-press' && onQuery(value)}
      filter={null}
      autoHighlight="always"
      keepHighlight
      itemToStringValue={(command: Command) => command.label}
    >
      <div className="command-search">
        <Search size={16} aria-hidden />
        <Base.Input className="combobox-input" aria-label={label} placeholder={label} />
      </div>
      <Base.Status className="combobox-status">{status}</Base.Status>
      <Base.Empty className="command-empty">{empty}</Base.Empty>
      <Base.List className="command-list">
        {(group: CommandGroup) => (
          <Base.Group key={group.value} items={group.items as Command[]}>
            <Base.GroupLabel className="menu-label">{group.value}</Base.GroupLabel>
            <Base.Collection>
              {(command: Command) => (
                <Base.Item key={command.value} value={command} className="menu-item" onClick={command.run}>
                  <span className="menu-icon">{command.icon}</span>
                  <span className="command-label">{command.label}</span>
                  {command.note !== undefined && <span className="command-note">{command.note}</span>}
                </Base.Item>
              )}
            </Base.Collection>
          </Base.Group>
        )}
      </Base.List>
    </Base.Root>
  )
}
