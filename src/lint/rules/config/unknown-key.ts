import { configExample } from '../../example.ts'
import type { Rule } from '../../rule.ts'

/** Unknown settings. */
export const configUnknownKey: Rule = {
  id: 'config/unknown-key',
  severity: 'error',
  summary: 'A setting does not exist',
  details: `A name in admin.config that means nothing is most often a slip, and what it was meant to set stays at its default. Write the
name that is suggested, or take the line out.`,
  invalid: [configExample('»prot«: 8000\n'), configExample('rate_limits: { »defualt«: 50 }\n')],
  valid: [configExample('port: 8000\n'), configExample('rate_limits: { default: 50 }\n')],
}
