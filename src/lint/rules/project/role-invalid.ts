import type { Example, LintRule } from '../../rule.ts'

const roleExample = (text: string): Example => ({ files: { 'roles/editors.yaml': text } })

/** Role files with unknown or missing keys. */
export const roleInvalid: LintRule = {
  id: 'role/invalid',
  severity: 'error',
  summary: 'A role has a key or a value that is not allowed',
  details: `A role is a group with permissions. The server creates the group if there is none of that name.`,
  invalid: [
    roleExample('name: Editors\npermissions: »view_post«\n'),
    roleExample('name: Editors\npermissions: [view_post]\n»permision«: view_tag\n'),
  ],
  valid: [
    roleExample('name: Editors\npermissions: [view_post, change_post]\n'),
    roleExample('- { name: Editors, permissions: [change_post] }\n- { name: Guests, permissions: [] }\n'),
  ],
}
