/** The folder of the installed package, relative to the project. */
export const PACKAGE_FOLDER = 'node_modules/admin-folder'

/** The first line of a YAML file, by which editors find its JSON Schema. */
const schemaComment = (up: string, schema: string) =>
  `# yaml-language-server: $schema=${up}${PACKAGE_FOLDER}/schemas/${schema}.json\n`

/** The files of a new project: one model with a form, a list and a few records. */
export const SCAFFOLD: Readonly<Record<string, string>> = {
  '.gitignore': `# The data folder holds the records and the signing secret.
data/
`,
  'admin.config.yaml': `${schemaComment('', 'config')}# Every setting has a default; these are the ones most often changed.
port: 8000
# Origins of front ends that browsers may call from:
cors: [http://localhost:5173]
`,
  'models/article.yaml': `${schemaComment('../', 'model')}name: Article
label: Articles
display_field: title
timestamps: true
fields:
  - { name: title, type: string, required: true, min_length: 3, max_length: 200 }
  - { name: slug, type: slug, required: true, unique: true }
  - { name: body, type: text }
  - { name: status, type: choice, choices: [draft, published], default: draft }
  - { name: published_at, type: datetime }
  - { name: author_id, type: foreignkey, model: user, on_delete: set_null }
`,
  'views/article.yaml': `${schemaComment('../', 'view')}- name: ArticleForm
  view_type: form
  model: Article
  fields:
    - { name: id, title: ID, field_type: primarykey, readonly: true, disabled: true, is_primary_key: true }
    - { name: title, title: Title, field_type: string, widget: text, required: true, placeholder: A short headline }
    - { name: slug, title: Slug, field_type: slug, widget: text, required: true, help_text: The last part of the address }
    - { name: body, title: Text, field_type: text, widget: textarea }
    - { name: status, title: Status, field_type: choice, widget: select, default_value: draft, options: { choices: [draft, published] } }
    - { name: published_at, title: Published, field_type: datetime, widget: datetime }
    - { name: author_id, title: Author, field_type: foreignkey, widget: relation }
  creation_fields: [title, slug, body, status, published_at, author_id]
  allowed_update_fields: [title, body, status, published_at, author_id]
  rules:
    - rule: self.status != "published" || self.published_at != null
      field: published_at
      message: A published article needs a publication date
- name: ArticleList
  view_type: list
  model: Article
  fields:
    - { name: id, title: ID, field_type: primarykey, is_primary_key: true }
    - { name: title, title: Title, field_type: string }
    - { name: status, title: Status, field_type: choice }
    - { name: published_at, title: Published, field_type: datetime }
`,
  'seed/article.yaml': `- { title: Hello, slug: hello, body: The first article., status: published, published_at: 2024-01-15T09:00:00Z }
- { title: Work in progress, slug: work-in-progress, status: draft }
`,
}

/** The files of a new project without a model. */
export const EMPTY_SCAFFOLD: typeof SCAFFOLD = Object.fromEntries(
  Object.entries(SCAFFOLD).filter(([name]) => !/^(models|views|seed)\//.test(name)),
)
