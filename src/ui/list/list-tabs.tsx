import type { ListView } from '../data/views.ts'
import { useText } from '../text/text.tsx'

interface ListTabsProps {
  readonly lists: readonly ListView[]
  readonly shown: ListView
  readonly onChange: (name: string) => void
}

/** The list views of a model, where it has several. */
export function ListTabs({ lists, shown, onChange }: ListTabsProps) {
  const text = useText().list
  return (
    <nav className="list-views" aria-label={text.views}>
      {lists.map(({ name }) => (
        <button
          key={name}
          type="button"
          className="tab"
          data-active={name === shown.name || undefined}
          aria-current={name === shown.name ? 'page' : undefined}
          onClick={() => onChange(name)}
        >
          {wordsOf(name)}
        </button>
      ))}
    </nav>
  )
}

/** The words of a view's name: `PostArchiveList` is `Post archive list`. */
export const wordsOf = (name: string): string =>
  name.replaceAll('_', ' ').replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
