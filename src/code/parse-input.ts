import type { Faults } from '../config/fault.ts'
import type { Path, Source } from '../config/source.ts'
import { type Field, isFileField } from '../model/field.ts'
import { Model } from '../model/model.ts'
import { parseInputField } from '../model/parse-field.ts'
import type { Registry } from '../model/registry.ts'
import { didYouMean } from '../util/suggest.ts'

/** Where a list of fields is written, and what its relations may name. */
interface InputPlace {
  readonly source: Source
  readonly path: Path
  readonly registry: Registry
  /** Keys of models that are faulty, so that relations to them are follow-on errors. */
  readonly unclear: ReadonlySet<string>
  /** True for what code answers. An input has no fields of files: an upload belongs to a field of a model. */
  readonly isOutput?: boolean
}

/**
 * Parses the fields of an input or output of code, as a model that is not registered.
 *
 * @param name of that model
 */
export function parseInput(name: string, written: readonly unknown[], place: InputPlace, faults: Faults): Model {
  const { source, path, registry, unclear, isOutput = false } = place
  const fields: Field[] = []
  for (const [index, raw] of written.entries()) {
    const at = [...path, index]
    const field = parseInputField(raw, at, source, faults)
    const target = field?.relation?.target
    if (field === undefined) continue
    if (fields.some((each) => each.name === field.name)) {
      faults.add(source, [...at, 'name'], `There is already a field '${field.name}'; choose another name`)
    } else if (isFileField(field) && !isOutput) {
      const fault = `The input '${field.name}' cannot be of type '${field.type.name}', since files are uploaded for fields of models`
      const remedy = "take the id of an upload as type 'string', and set a file field of a model to it"
      faults.add(source, [...at, 'type'], `${fault}; ${remedy}`)
    } else if (target !== undefined && !unclear.has(target) && !registry.public.some(({ key }) => key === target)) {
      const guess = didYouMean(
        target,
        registry.public.map(({ key }) => key),
      )
      faults.add(source, [...at, 'model'], `There is no model '${target}'${guess}`, { rule: 'code/unknown-model' })
    } else fields.push(field)
  }
  return new Model({ name, label: undefined, displayField: undefined, timestamps: false, internal: true, fields })
}
