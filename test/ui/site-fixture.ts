import type { SiteField, SiteModel } from '../../src/client/client.ts'

/** A field of a model of the site, as plain as possible. */
export const siteField = (name: string, type = 'string', more: Partial<SiteField> = {}): SiteField => ({
  name,
  type,
  label: name.toUpperCase(),
  help_text: null,
  required: false,
  unique: false,
  readonly: false,
  sortable: type !== 'many_to_many',
  operators: ['eq', 'ne', 'in', 'isnull'],
  choices: null,
  bounds: {},
  relation: null,
  ...more,
})

/** A model of the site that the user may view. */
export const siteModel = (key: string, display_field: string, fields: readonly SiteField[]): SiteModel => ({
  key,
  name: key,
  label: key,
  display_field,
  group: null,
  icon: null,
  can: ['view'],
  searchable: false,
  history: false,
  fields,
  actions: [],
  referenced_by: [],
})

/** The relation of a field to a model. */
export const relationTo = (name: string, model: string): Partial<SiteField> => ({ relation: { name, model, on_delete: null } })
