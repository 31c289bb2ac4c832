import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { SiteModel } from '../../client/client.ts'
import { useText } from '../text/text.tsx'
import { usePause } from '../widgets/use-pause.ts'

interface SearchBoxProps {
  readonly model: SiteModel
  readonly value: string
  /** @param isReplaced true while an earlier search is refined, so that Back leaves the search */
  readonly onChange: (q: string, isReplaced: boolean) => void
}

/** Searches the texts of a model, after a pause in typing. */
export function SearchBox({ model, value, onChange }: SearchBoxProps) {
  const text = useText().list
  const [typed, setTyped] = useState(value)
  const settled = usePause(typed)
  /** The words of the address that the input has taken over. */
  const sent = useRef(value)

  // Back, or a saved filter, changes the words from outside.
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setTyped(value)
  }, [value])

  const latest = useRef(onChange)
  latest.current = onChange
  useEffect(() => {
    const words = settled.trim()
    if (words === sent.current) return
    const isReplaced = sent.current !== ''
    sent.current = words
    latest.current(words, isReplaced)
  }, [settled])

  return (
    <label className="search-box">
      <Search size={14} aria-hidden />
      <span className="visually-hidden">{text.search(model.label)}</span>
      <input
        className="input"
        type="search"
        value={typed}
        placeholder={text.search(model.label)}
        onChange={(event) => setTyped(event.target.value)}
      />
    </label>
  )
}
