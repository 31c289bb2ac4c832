import { acceptsType } from '../../model/file-limits.ts'
import type { FileRules, ThumbnailRecipe } from '../../model/files.ts'
import { formatBytes, parseBytes } from '../../util/bytes.ts'
import { fieldPath } from '../field-options.ts'
import { formExample, type LintRule, modelExample, quoted } from '../rule.ts'

const note = (field: string, rest = ''): string => `name: Note\nfields:\n  - ${field}\n${rest}`

const ARTICLE =
  'name: Article\nfields:\n  - { name: title, type: string }\n  - { name: cover, type: image, max_size: 8 MiB }\n  - { name: papers, type: file, multiple: true, max_files: 5, accept: [application/pdf] }\n'

/** An example of a form of a model with files. @param fields the fields of the form */
const fileForm = (fields: string) => ({
  files: {
    'models/article.yaml': ARTICLE,
    'views/article.yaml': `name: ArticleForm\nview_type: form\nmodel: Article\n${fields}`,
  },
})

/** Types that a browser would run as a program of the page. */
const ACTIVE_TYPES = [
  ...['image/svg+xml', 'text/html', 'application/xhtml+xml', 'text/xml', 'application/xml'],
  ...['text/javascript', 'application/javascript'],
]

/** Rules for fields of files and images. */
export const FILE_FIELD_RULES = {
  'model/active-file-type': {
    severity: 'warn',
    summary: 'A field accepts files that may contain scripts',
    details: `SVG, HTML and XML may contain scripts. The server sends such files for download only, and in a sandbox; a program that shows them in a page of its own
runs the scripts of the user who uploaded them. Accept raster images, PDF or text instead. The groups image/*, text/* and application/* take
such files, too, except in fields of the type image.`,
    invalid: [
      modelExample(note('{ name: logo, type: file, accept: [image/png, »image/svg+xml«] }')),
      modelExample(note('{ name: page, type: file, accept: [»text/html«] }')),
      modelExample(note('{ name: scans, type: file, accept: [application/pdf, »image/*«] }')),
    ],
    valid: [
      modelExample(note('{ name: logo, type: image, accept: [image/*] }')),
      modelExample(note('{ name: page, type: file, accept: [application/pdf, text/plain] }')),
    ],
    model({ model, definition, source }, report) {
      for (const { name, file } of model.fileFields) {
        for (const [index, type] of (file.accept ?? []).entries()) {
          const active = file.isImage ? undefined : ACTIVE_TYPES.find((each) => acceptsType({ accept: [type] }, each))
          if (active === undefined) continue
          const message =
            active === type
              ? `Files of the type ${type} may contain scripts; remove it from 'accept' of '${name}'`
              : `${type} takes ${active}, whose files may contain scripts; name the types that are needed in 'accept' of '${name}'`
          report(source, [...fieldPath(definition.value, name), 'accept', index], message)
        }
      }
    },
  },
  'model/file-size': {
    severity: 'error',
    summary: 'The maximum size of a file is above that of the settings',
    details: `files.max_size of the settings is the largest size that a field may allow (1 GiB by default). Lower max_size of the field, or raise the setting.`,
    invalid: [
      modelExample(note('{ name: film, type: file, max_size: »2 GiB« }')),
      {
        files: {
          'admin.config.yaml': 'files: { max_size: 5 MiB }\n',
          'models/note.yaml': note('{ name: cover, type: image, max_size: »8 MiB« }'),
        },
      },
    ],
    valid: [
      modelExample(note('{ name: film, type: file, max_size: 1 GiB }')),
      {
        files: {
          'admin.config.yaml': 'files: { max_size: 5 GiB }\n',
          'models/note.yaml': note('{ name: film, type: file, max_size: 2 GiB }'),
        },
      },
    ],
    model({ project, model, definition, source }, report) {
      const largest = project.maxFileBytes
      for (const { name, file } of model.fileFields) {
        if (file.maxSize === undefined || file.maxSize <= largest) continue
        const message = `max_size of '${name}' is ${formatBytes(file.maxSize)}, above files.max_size of the settings, ${formatBytes(largest)}`
        report(source, [...fieldPath(definition.value, name), 'max_size'], message)
      }
    },
  },
  'model/public-metadata': {
    severity: 'warn',
    summary: 'Images of a public model keep their metadata',
    details: `Photos often contain the place where they were taken, and the name and camera of the photographer. With metadata: keep in a model with view: public,
everyone can read them. Leave metadata out, so that they are removed.`,
    invalid: [
      modelExample(note('{ name: photo, type: image, metadata: »keep« }', 'access: { view: public }\n')),
      modelExample(
        note('{ name: photos, type: image, multiple: true, metadata: »keep« }', 'access: { view: public, add: public }\n'),
      ),
    ],
    valid: [
      modelExample(note('{ name: photo, type: image }', 'access: { view: public }\n')),
      modelExample(note('{ name: photo, type: image, metadata: keep }', 'access: { view: authenticated }\n')),
    ],
    model({ model, definition, source }, report) {
      if (model.access.view !== 'public') return
      for (const { name, file } of model.fileFields) {
        if (!file.keepsMetadata) continue
        const message = `Everyone can read the metadata of '${name}', such as the place of a photo; remove 'metadata: keep'`
        report(source, [...fieldPath(definition.value, name), 'metadata'], message)
      }
    },
  },
  'model/thumbnail': {
    severity: 'warn',
    summary: 'A thumbnail is larger than its images may be, or has a key without effect',
    details: `Thumbnails are never enlarged: one that is larger than min_width or min_height of its field is smaller than its name promises for some images. PNG
has no quality.`,
    invalid: [
      modelExample(note('{ name: cover, type: image, min_width: 600, thumbnails: { wide: »1200x« } }')),
      modelExample(note('{ name: cover, type: image, thumbnails: { icon: { width: 64, format: png, quality: »80« } } }')),
    ],
    valid: [
      modelExample(note('{ name: cover, type: image, min_width: 1200, thumbnails: { wide: 1200x } }')),
      modelExample(note('{ name: cover, type: image, thumbnails: { icon: { width: 64, format: webp, quality: 80 } } }')),
    ],
    model({ model, definition, source }, report) {
      for (const { name, file } of model.fileFields) {
        for (const [key, recipe] of file.thumbnails) {
          const at = [...fieldPath(definition.value, name), 'thumbnails', key]
          const problem = enlargement(key, recipe, file)
          if (problem !== undefined && key !== 'preview') report(source, at, problem)
          if (recipe.format === 'png' && recipe.quality !== undefined)
            report(
              source,
              [...at, 'quality'],
              `quality has no effect on '${key}', since PNG has none; remove it, or write format: webp`,
            )
        }
      }
    },
  },
  'view/file-limits': {
    severity: 'warn',
    summary: "A limit of files in a form is wider than the model's, or is of a field without files",
    details: `max_size, accept and max_files in the options of a form narrow the limits of the model. A wider one has no effect; but a front end that uses it
accepts files that the server rejects.`,
    invalid: [
      fileForm('fields:\n  - { name: cover, options: { max_size: »20 MiB« } }\n'),
      fileForm('fields:\n  - { name: papers, options: { max_files: »9«, accept: [application/pdf, »text/csv«] } }\n'),
      formExample('fields:\n  - { name: title, options: { max_size: »1 MiB« } }\n'),
    ],
    valid: [
      fileForm('fields:\n  - { name: cover, options: { max_size: 1 MiB, accept: [image/png] } }\n'),
      fileForm('fields:\n  - { name: papers, options: { max_files: 2, accept: [application/pdf] } }\n'),
    ],
    field({ form, field, modelField, source, path }, report) {
      const { options = {} } = field
      if (form === undefined) return
      const at = [...path, 'options']
      const { file } = modelField
      if (file === undefined) {
        for (const key of ['max_size', 'max_files'].filter((each) => options[each] !== undefined))
          report(source, [...at, key], `${key} has no effect on '${field.name}', which has no files; remove it`)
        return
      }
      const wider = (key: string, own: string) =>
        `${key} of '${field.name}' has no effect, since the model has ${own}; narrow it or remove it`
      const size = parseBytes(options.max_size)
      if (size !== undefined && file.maxSize !== undefined && size > file.maxSize)
        report(source, [...at, 'max_size'], wider('max_size', formatBytes(file.maxSize)))
      if (typeof options.max_files === 'number' && options.max_files > file.maxFiles)
        report(source, [...at, 'max_files'], wider('max_files', String(file.maxFiles)))
      for (const [index, type] of (Array.isArray(options.accept) ? options.accept : []).entries()) {
        // A group such as image/* is narrowed to what the model accepts.
        if (typeof type !== 'string' || type.endsWith('/*') || acceptsType(file, type)) continue
        report(source, [...at, 'accept', index], wider(type, quoted(file.accept ?? [])))
      }
    },
  },
} as const satisfies Readonly<Record<string, LintRule>>

function enlargement(
  name: string,
  { width = 0, height = 0 }: ThumbnailRecipe,
  { minWidth, minHeight }: FileRules,
): string | undefined {
  const [side, asked, least] =
    width > (minWidth ?? width) ? ['width', width, minWidth] : height > (minHeight ?? height) ? ['height', height, minHeight] : []
  if (side === undefined) return undefined
  return `The thumbnail '${name}' has a ${side} of ${asked}, and images may have ${least}; they are not enlarged, so raise min_${side} or lower the thumbnail`
}
