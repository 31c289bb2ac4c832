import { type ComponentType, lazy, Suspense } from 'react'
import { fieldOf } from '../data/site.ts'
import { Skeleton } from '../parts/skeleton.tsx'
import { CheckboxInput } from './checkbox-input.tsx'
import { ChoiceCheckboxes } from './choices/choice-checkboxes.tsx'
import { ChoiceRadios } from './choices/choice-radios.tsx'
import { ChoiceSelect } from './choices/choice-select.tsx'
import { ChoicesInput } from './choices/choices-input.tsx'
import { ColorInput } from './color-input.tsx'
import { DateInput, TimeInput } from './dates/date-input.tsx'
import { DatetimeInput } from './dates/datetime-input.tsx'
import { type WidgetKind, widgetKind } from './kind.ts'
import { NumberInput } from './numbers/number-input.tsx'
import { RangeInput } from './numbers/range-input.tsx'
import { RelationPicker } from './relations/relation-picker.tsx'
import { RelationsPicker } from './relations/relations-picker.tsx'
import { PasswordInput } from './texts/password-input.tsx'
import { SuggestInput } from './texts/suggest-input.tsx'
import { TextInput } from './texts/text-input.tsx'
import { Textarea } from './texts/textarea.tsx'
import { WordsInput } from './texts/words-input.tsx'
import type { InputProps, WidgetProps } from './widget-props.ts'

const INPUTS: Readonly<Record<WidgetKind, ComponentType<InputProps>>> = {
  line: TextInput,
  lines: Textarea,
  number: NumberInput,
  range: RangeInput,
  checkbox: CheckboxInput,
  switch: CheckboxInput,
  select: ChoiceSelect,
  radio: ChoiceRadios,
  suggest: SuggestInput,
  choices: ChoicesInput,
  checkboxes: ChoiceCheckboxes,
  words: WordsInput,
  color: ColorInput,
  date: DateInput,
  time: TimeInput,
  datetime: DatetimeInput,
  json: lazy(() => import('./texts/json-editor.tsx').then((module) => ({ default: module.JsonEditor }))),
  password: PasswordInput,
  relation: RelationPicker,
  relations: RelationsPicker,
}

/**
 * The input of a field of a view, by its widget and type. Nothing for a field that the model does not have.
 *
 * Values are as the API takes them. `onChange` is called with an `Unparsed` while a typed text is not a value yet.
 */
export function Widget(props: WidgetProps) {
  const modelField = fieldOf(props.model, props.field.name)
  if (modelField === undefined) return undefined
  const Input = INPUTS[widgetKind(props.field, modelField)]
  return (
    <Suspense fallback={<Skeleton lines={2} />}>
      <Input {...props} modelField={modelField} />
    </Suspense>
  )
}
