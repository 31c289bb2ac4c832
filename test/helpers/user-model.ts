/** YAML of a user model that replaces the built-in one. Further fields may follow. */
export const USER_MODEL = `name: User
timestamps: true
fields:
  - { name: username, type: string, required: true, unique: true }
  - { name: email, type: email, required: true, unique: true }
  - { name: password, type: password, required: true }
  - { name: first_name, type: string }
  - { name: last_name, type: string }
  - { name: is_active, type: boolean, default: true }
  - { name: is_superuser, type: boolean, default: false }
  - { name: last_login, type: datetime }
  - { name: groups, type: many_to_many, model: group }
  - { name: permissions, type: many_to_many, model: permission }
`
