import type { Text } from '../../text/en.ts'
import type { Fault } from '../../widgets/unparsed.ts'

/** The message for a typed text that is not a value. */
export function faultText(fault: Fault, text: Text['form']): string {
  switch (fault.kind) {
    case 'number':
      return text.faultNumber
    case 'datetime':
      return text.faultDatetime
    case 'json':
      return text.faultJson(fault.line, fault.column)
  }
}
