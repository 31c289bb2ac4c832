import type { ComponentType } from 'react'
import { fieldOf } from '../data/site.ts'
import { partOnUse } from '../parts/lazy-part.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Skeleton } from '../parts/states.tsx'
import { ChoiceCheckboxes, ChoiceRadios, ChoiceSelect, ChoicesInput } from './choice-inputs.tsx'
import { DateInput, DatetimeInput, TimeInput } from './date-inputs.tsx'
import { type WidgetKind, widgetKind } from './kind.ts'
import { NumberInput, RangeInput } from './number-inputs.tsx'
import { RelationPicker, RelationsPicker } from './relation-pickers.tsx'
import { ColorInput, PasswordInput, SuggestInput, SwitchInput, Textarea, TextInput } from './text-inputs.tsx'
import type { InputProps, WidgetProps } from './widget-props.ts'
import { WordsInput } from './words-input.tsx'

const INPUTS: Readonly<Record<WidgetKind, ComponentType<InputProps>>> = {
  line: TextInput,
  lines: Textarea,
  markdown: partOnUse(() => import('./markdown-input.tsx').then((module) => module.MarkdownInput)),
  number: NumberInput,
  range: RangeInput,
  switch: SwitchInput,
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
  json: partOnUse(() => import('./json-editor.tsx').then((module) => module.JsonEditor)),
  files: partOnUse(() => import('./files-input.tsx').then((module) => module.FilesInput)),
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
    <Loaded fallback={<Skeleton lines={2} />}>
      <Input {...props} modelField={modelField} />
    </Loaded>
  )
}
