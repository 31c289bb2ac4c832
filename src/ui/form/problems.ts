import { AdminError, type FieldErrors, titled } from '../../client/client.ts'
import type { Text } from '../text/en.ts'
import { type InputFault, Unparsed } from '../widgets/unparsed.ts'
import type { FormValues } from './values.ts'

/** What kept a form from being saved. */
export interface Problems {
  readonly error: unknown
  /** Messages by field; empty if the fault is not that of a field. */
  readonly fields: FieldErrors
}

/** The problems that a failed request names. @param titleOf the title of a field in the form */
export function problemsOf(error: unknown, titleOf: (name: string) => string): Problems {
  const named = Object.entries(error instanceof AdminError ? error.fieldErrors : {})
  const fields = named.map(([name, messages]) => [name, messages.map((each) => titled(each, name, titleOf(name)))])
  return { error, fields: Object.fromEntries(fields) }
}

/** True if a typed text is no value of its field, so that the values cannot be sent. */
export const hasUnparsed = (values: FormValues): boolean => Object.values(values).some((value) => value instanceof Unparsed)

/**
 * The problems of values of which some are typed texts that are no values. The inputs show the messages of these; a dry run with the other
 * values finds the other faults, so that all are shown at once.
 *
 * @param dryRun sends values without storing them
 * @param titleOf the title of a field in the form
 */
export async function unparsedProblems(
  values: FormValues,
  dryRun: (values: FormValues) => Promise<unknown>,
  titleOf: (name: string) => string,
): Promise<Problems> {
  const names = Object.keys(values).filter((name) => values[name] instanceof Unparsed)
  const unparsed = Object.fromEntries(names.map((name) => [name, []]))
  const parsed = Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
  try {
    await dryRun(parsed)
    return { error: undefined, fields: unparsed }
  } catch (error) {
    // A fault that belongs to no field shows once the values can be sent.
    return { error: undefined, fields: { ...problemsOf(error, titleOf).fields, ...unparsed } }
  }
}

/** The message for a typed text that is not a value. */
export function faultText(fault: InputFault, text: Text['form']): string {
  switch (fault.kind) {
    case 'number':
      return text.faultNumber
    case 'notNumber':
      return text.faultNotNumber
    case 'inexactNumber':
      return text.faultInexactNumber
    case 'ambiguousNumber':
      return text.faultAmbiguousNumber(fault.readings)
    case 'datetime':
      return text.faultDatetime
    case 'skippedTime':
      return text.faultSkippedTime
    case 'json':
      return text.faultJson(fault.line, fault.column)
    case 'jsonName':
      return text.faultJsonName(fault.text, fault.line, fault.column)
    case 'jsonNumber':
      return text.faultJsonNumber(fault.text, fault.line, fault.column)
  }
}

/**
 * The messages that a field shows for its value: one for a text that is not a value.
 *
 * @param wasTried true once the value was to be sent: a beginning, which typing on may complete, is named from then on
 */
export function faultsOf(value: unknown, text: Text['form'], wasTried: boolean): readonly string[] {
  if (!(value instanceof Unparsed)) return []
  const { fault } = value
  const isBeginning = fault.kind === 'number' || fault.kind === 'datetime'
  return isBeginning && !wasTried ? [] : [faultText(fault, text)]
}
