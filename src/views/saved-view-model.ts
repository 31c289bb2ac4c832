import { type Definition, flatSource } from '../config/source.ts'
import { defineModel } from '../model/define.ts'

/**
 * A saved view: a state of the list of a model under a name. It belongs to its user, who may share it. It is left out of the search and of the
 * history, since it says how records are looked at, and nothing about them.
 */
const SavedView = defineModel({
  name: 'SavedView',
  label: 'Saved views',
  icon: 'bookmark',
  display_field: 'name',
  timestamps: true,
  history: false,
  unique_together: [['user_id', 'model', 'name']],
  fields: [
    { name: 'name', type: 'string', required: true, max_length: 60, searchable: false },
    // The key of a model rather than a relation, since a model may be removed from the project.
    { name: 'model', type: 'string', required: true, max_length: 150, searchable: false },
    {
      name: 'query',
      type: 'string',
      max_length: 8000,
      searchable: false,
      index: false,
      help_text: 'The query of the address of the list: list, q, filter, sort, columns and page_size',
    },
    {
      name: 'look',
      type: 'json',
      help_text: 'How the list looks: {widths?, pinned?, totals?, density?}',
    },
    { name: 'user_id', type: 'foreignkey', model: 'user', required: true, on_delete: 'cascade', default: { user: 'id' } },
    { name: 'groups', type: 'many_to_many', model: 'group', help_text: 'Groups whose members see the view' },
    { name: 'everyone', type: 'boolean', default: false, help_text: 'Every user sees the view' },
    {
      name: 'default_for',
      type: 'choice',
      choices: ['user', 'all'],
      help_text: 'Opens with the list: for the user alone, or for all who see the view',
    },
  ],
})

/** Key of the model of saved views. */
export const SAVED_VIEWS = 'savedview'

/** The built-in models that a project can neither replace nor extend. */
export const VIEW_MODELS: readonly Definition[] = [{ value: SavedView, source: flatSource(`built-in model ${SavedView.name}`) }]
