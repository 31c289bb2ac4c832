import { configExample, type LintRule } from '../../rule.ts'

/** Invalid values of settings. */
export const configInvalid: LintRule = {
  id: 'config/invalid',
  severity: 'error',
  summary: 'A setting has an invalid value',
  details: `The settings of a project, in admin.config or in the environment, are validated before use. The message states
which values are allowed. In a file, numbers and true or false are written without quotes.`,
  invalid: [
    configExample('port: »"8000"«\n'),
    configExample('jwt: { algorithm: »none« }\n'),
    configExample('store: »mysql://db.example.com/shop«\n'),
  ],
  valid: [
    configExample('port: 8000\n'),
    configExample('jwt: { algorithm: HS512 }\n'),
    configExample('store: postgres://shop@db.example.com/shop\n'),
  ],
}
