import type { SiteField } from '../../client/client.ts'
import { type ExcerptLimits, excerptOf, type Places } from '../../client/excerpt.ts'
import type { FieldView } from '../data/views.ts'
import { useText } from '../text/text.tsx'
import { choiceOf, plainView } from './choices.ts'

interface MarkedProps {
  readonly text: string
  /** Where the words of a search are in the text. */
  readonly places: Places
  /** Shows the part around the first of the words; without limits, all of the text. */
  readonly limits?: ExcerptLimits | undefined
}

/** A text with the words of a search marked in it. */
export const Marked = ({ text, places, limits }: MarkedProps) => {
  let at = 0
  return excerptOf(text, places, limits).map((piece) => {
    at += piece.text.length
    return piece.isMatch ? <mark key={at}>{piece.text}</mark> : piece.text
  })
}

/** Of a text beside the name of a record; the match must be seen on a phone, too. */
const NOTE: ExcerptLimits = { length: 72, lead: 16 }

interface MatchNoteProps {
  /** Title of the field. */
  readonly title: string
  readonly field: SiteField
  /** The field in the view of the list, if it has it. */
  readonly view: FieldView | undefined
  readonly value: unknown
  readonly places: Places
}

/** Says which field, that the list does not show, has the words of a search. */
export function MatchNote({ title, field, view = plainView(field), value, places }: MatchNoteProps) {
  const text = useText().list
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isChoice = (field.choices ?? []).length > 0
  return (
    <span className="match-note">
      {text.matchIn(title)}{' '}
      {isChoice ? (
        // The search finds the value; the list shows its label.
        <mark>{values.map((each) => choiceOf(each, view, field).label).join(', ')}</mark>
      ) : (
        <Marked text={values.join(', ')} places={places} limits={NOTE} />
      )}
    </span>
  )
}
