import type { Example, LintRule } from '../../rule.ts'

const roleExample = (text: string): Example => ({ files: { 'roles/editors.yaml': text } })

/** Permissions of roles that no model has. */
export const roleUnknownPermission: LintRule = {
  id: 'role/unknown-permission',
  severity: 'error',
  summary: 'A role has a permission that does not exist',
  details: `Each model has four permissions, such as view_post, add_post, change_post and delete_post.`,
  invalid: [
    roleExample('name: Editors\npermissions: [view_post, »veiw_tag«]\n'),
    roleExample('name: Editors\npermissions: [»publish_post«]\n'),
  ],
  valid: [
    roleExample('name: Editors\npermissions: [view_post, add_tag]\n'),
    roleExample('name: Staff\npermissions: [view_user, change_group, delete_permission]\n'),
  ],
}
