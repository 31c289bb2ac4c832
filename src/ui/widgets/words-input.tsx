import { type KeyboardEvent, useState } from 'react'
import { Chip } from '../parts/chip.tsx'
import { partOnUse } from '../parts/lazy-part.ts'
import { useLocale, useText } from '../text/text.tsx'
import { numberSigns } from './numbers.ts'
import type { InputProps } from './widget-props.ts'

const JsonEditor = partOnUse(() => import('./json-editor.tsx').then((module) => module.JsonEditor))

/** A JSON list of texts, as chips: Enter or a comma adds the typed text. Other JSON is edited as it is. */
export function WordsInput(props: InputProps) {
  const { field, value, onChange, links } = props
  const text = useText()
  const { decimal } = numberSigns(useLocale())
  const [typed, setTyped] = useState('')
  if (value !== null && value !== undefined && !isWords(value)) return <JsonEditor {...props} />
  const words = value ?? []
  const add = () => {
    const word = typed.trim()
    if (word !== '' && !words.includes(word)) onChange([...words, word])
    setTyped('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Backspace' && typed === '' && words.length > 0) onChange(words.slice(0, -1))
    // A comma after digits may be that of decimals.
    const isEnd = event.key === 'Enter' || (event.key === ',' && !(decimal === ',' && /^[+-]?\d[\d.]*$/.test(typed)))
    if (!isEnd || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    add()
  }
  return (
    <div className="chosen">
      {words.length > 0 && (
        <div className="chips">
          {words.map((word) => (
            <Chip
              key={word}
              removeLabel={text.common.remove(word)}
              onRemove={() => onChange(words.filter((each) => each !== word))}
            >
              {word}
            </Chip>
          ))}
        </div>
      )}
      <input
        {...links}
        className="input"
        placeholder={field.placeholder ?? text.form.addWord}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={add}
      />
    </div>
  )
}

const isWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
