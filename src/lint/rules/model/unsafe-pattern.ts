import { modelExample } from '../../example.ts'
import type { Rule } from '../../rule.ts'

/** Patterns that RE2 does not support. */
export const modelUnsafePattern: Rule = {
  id: 'model/unsafe-pattern',
  severity: 'error',
  summary: 'A pattern is no regular expression, or none that is safe',
  details: `Patterns are matched by RE2, which takes time in proportion to the text whatever the pattern is: nobody can stop the server with a
text made for it. Lookaround and backreferences cannot be had that way and are refused. Say the same with several fields, with choices, or
with a rule of a form.`,
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
