import type { Text } from '../text/en.ts'
import { type InputFault, Unparsed } from './unparsed.ts'

/** Faults of texts that typing on may complete. */
const BEGINNINGS: ReadonlySet<InputFault['kind']> = new Set(['number', 'date', 'time', 'datetime'])

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
    case 'ambiguousDate':
      return text.faultAmbiguousNumber(fault.readings)
    case 'date':
      return text.faultDate(fault.pattern)
    case 'time':
      return text.faultTime(fault.pattern)
    case 'datetime':
      return text.faultDatetime(fault.pattern)
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
 * @param wasTried true once the value was to be sent: a beginning, which typing on may complete, is named from then on, or once its input was left
 */
export function faultsOf(value: unknown, text: Text['form'], wasTried: boolean): readonly string[] {
  if (!(value instanceof Unparsed)) return []
  const { fault, wasLeft } = value
  return BEGINNINGS.has(fault.kind) && !wasTried && !wasLeft ? [] : [faultText(fault, text)]
}
