import type { Model } from '../model/model.ts'

/** Operators of other languages, and what CEL writes instead. Longer ones come first. */
const OPERATORS: readonly (readonly [RegExp, string, string])[] = [
  [/!==/, '!==', '!='],
  [/===/, '===', '=='],
  [/<>/, '<>', '!='],
  [/(?<![=!<>])=(?!=)/, '=', '=='],
  [/\bor\b/i, 'or', '||'],
  [/\band\b/i, 'and', '&&'],
  [/\bnot\b/i, 'not', '!'],
]

/** A hint for a rule that does not compile, to follow its error; empty if nothing is known. */
export function ruleHint(rule: string, error: string, model: Model): string {
  const [, name = ''] = /^Unknown variable: (\w+)$/.exec(error) ?? []
  if (model.fields.has(name)) return `; write self.${name}`
  const code = rule.replace(/'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?/g, '""')
  const [, written, meant] = OPERATORS.find(([pattern]) => pattern.test(code)) ?? []
  return written === undefined ? '' : `; write ${meant} instead of ${written}`
}

/** A CEL type with its article: `an int`, `a string`. */
export const one = (type: string): string => `${type === 'int' ? 'an' : 'a'} ${type}`
