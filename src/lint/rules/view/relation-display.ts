import { type LintRule, listExample } from '../../rule.ts'

/** Relations displayed as ids. */
export const viewRelationDisplay: LintRule = {
  id: 'view/relation-display',
  severity: 'warn',
  summary: 'A view displays a relation to a model without a display field',
  details: `Where a record is referred to, people see the display_field of its model. A record of a model without one, and without a field named like a
name or title, is displayed by its id. Set display_field in that model.`,
  invalid: [
    {
      files: {
        'models/place.yaml':
          '- name: Place\n  fields:\n    - { name: latitude, type: number }\n- name: Visit\n  fields:\n    - { name: place_id, type: foreignkey, model: place }\n',
        'views/visit.yaml': 'name: VisitForm\nview_type: form\nmodel: Visit\nfields:\n  - { name: »place_id« }\n',
      },
    },
    {
      files: {
        'models/place.yaml':
          '- name: Place\n  fields:\n    - { name: latitude, type: number }\n- name: Trip\n  fields:\n    - { name: places, type: many_to_many, model: place }\n',
        'views/trip.yaml': 'name: TripList\nview_type: list\nmodel: Trip\nfields:\n  - name: »places«\n',
      },
    },
  ],
  valid: [
    listExample('fields:\n  - { name: author_id }\n  - { name: tags }\n'),
    {
      files: {
        'models/place.yaml':
          '- name: Place\n  display_field: code\n  fields:\n    - { name: code, type: integer }\n- name: Visit\n  fields:\n    - { name: place_id, type: foreignkey, model: place }\n',
        'views/visit.yaml': 'name: VisitForm\nview_type: form\nmodel: Visit\nfields:\n  - { name: place_id }\n',
      },
    },
  ],
  field({ project, field, modelField, source, path }, report) {
    const target = project.registry.get(modelField.relation?.target ?? '')
    if (target === undefined || target.displayField !== 'id') return
    const what = `'${field.name}' displays records of ${target.name} by id only`
    report(source, [...path, 'name'], `${what}; set display_field in the model ${target.name}`)
  },
}
