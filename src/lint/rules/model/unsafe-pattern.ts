import { type LintRule, modelExample } from '../../rule.ts'

/** Patterns that RE2 does not support. */
export const modelUnsafePattern: LintRule = {
  id: 'model/unsafe-pattern',
  severity: 'error',
  summary: 'A pattern is not a regular expression that RE2 supports',
  details: `Patterns are matched by RE2, whose time is linear in the text for every pattern, so that no text can block the server.
It supports neither lookaround nor backreferences. Use several fields, choices, or a rule of a form instead.`,
  invalid: [
    modelExample('name: Note\nfields:\n  - { name: code, type: string, pattern: »"(a+)\\\\1"« }\n'),
    modelExample('name: Note\nfields:\n  - { name: code, type: string, pattern: »"(?=x)"« }\n'),
    modelExample('name: Note\nfields:\n  - { name: code, type: string, pattern: »"[a-"« }\n'),
  ],
  valid: [
    modelExample('name: Note\nfields:\n  - { name: code, type: string, pattern: "^[a-z]+$" }\n'),
    modelExample('name: Note\nfields:\n  - { name: code, type: string, pattern: "^(a+)+$" }\n'),
  ],
}
