import { configExample, type LintRule } from '../../rule.ts'

/** Unknown settings. */
export const configUnknownKey: LintRule = {
  id: 'config/unknown-key',
  severity: 'error',
  summary: 'A setting does not exist',
  details: `An unknown name in admin.config is usually a typing error, and the intended setting keeps its default. Use the
suggested name, or remove the line.`,
  invalid: [configExample('»prot«: 8000\n'), configExample('rate_limits: { »defualt«: 50 }\n')],
  valid: [configExample('port: 8000\n'), configExample('rate_limits: { default: 50 }\n')],
}
