import type { FileField } from '../../model/field.ts'
import { acceptsType } from '../../model/file-limits.ts'
import { formatBytes } from '../../util/bytes.ts'
import { commonModels, fieldPath, modelSource } from '../field-options.ts'
import { fieldChangeExample, type LintRule, quoted } from '../rule.ts'

/** The rule for files that fields no longer take, or no longer have, since an earlier version. */
export const CONTRACT_FILE_RULES = {
  'contract/files': {
    severity: 'error',
    summary: 'A field of files accepts less (breaking) or more, holds one or several, or lost a thumbnail',
    details: `Checked only with --against. Uploads that used to be valid are rejected: by fewer types in accept, a lower max_size or max_files, larger minimal sides.
With another \`multiple\`, clients receive a list in the place of a file, or a file in the place of a list. Addresses of a removed thumbnail answer 404.
\`admin lint --data\` lists the stored records concerned.`,
    invalid: [
      fieldChangeExample(
        '{ name: paper, type: file, accept: [application/pdf, text/csv] }',
        '»{ name: paper, type: file, accept: [application/pdf] }«',
      ),
      fieldChangeExample('{ name: paper, type: file, max_size: 8 MiB }', '»{ name: paper, type: file, max_size: 5 MiB }«'),
      fieldChangeExample('{ name: paper, type: file }', '»{ name: paper, type: file, multiple: true }«'),
      fieldChangeExample('{ name: cover, type: image, thumbnails: { card: 640x360 } }', '»{ name: cover, type: image }«'),
    ],
    valid: [
      fieldChangeExample('{ name: paper, type: file, max_size: 8 MiB }', '{ name: paper, type: file, max_size: 8192 KiB }'),
      fieldChangeExample(
        '{ name: cover, type: image, thumbnails: { card: 640x360 } }',
        '{ name: cover, type: image, thumbnails: { card: 320x180 } }',
      ),
    ],
    compare(before, after, report) {
      for (const [was, is] of commonModels(before, after)) {
        const { source, value } = modelSource(after, is)
        for (const field of is.fileFields) {
          const old = was.fileFields.find(({ name }) => name === field.name)
          if (old === undefined || old.type.name !== field.type.name) continue
          for (const { what, breaking } of changesOf(old, field))
            report(source, fieldPath(value, field.name), `'${field.name}' of ${is.name}: ${what}`, { breaking })
        }
      }
    },
  },
} as const satisfies Readonly<Record<string, LintRule>>

interface FileChange {
  readonly what: string
  readonly breaking: boolean
}

function changesOf(was: FileField, is: FileField): FileChange[] {
  const changes: FileChange[] = []
  const [old, now] = [was.file, is.file]
  if (was.type.list !== is.type.list)
    changes.push({ what: is.type.list ? 'it was one file and is a list' : 'it was a list and is one file', breaking: true })
  else changes.push(...numberChange('max_files', old.maxFiles, now.maxFiles, -1, String))
  changes.push(...numberChange('max_size', old.maxSize, now.maxSize, -1, formatBytes))
  changes.push(...numberChange('min_width', old.minWidth, now.minWidth, 1, String))
  changes.push(...numberChange('min_height', old.minHeight, now.minHeight, 1, String))
  const lost = (old.accept ?? []).filter((type) => !acceptsType(now, type))
  const added = (now.accept ?? []).filter((type) => !acceptsType(old, type))
  if (old.accept === undefined && now.accept !== undefined)
    changes.push({ what: `it now accepts ${quoted(now.accept)} only`, breaking: true })
  if (old.accept !== undefined && now.accept === undefined) changes.push({ what: 'it now accepts all types', breaking: false })
  if (lost.length > 0) changes.push({ what: `it no longer accepts ${quoted(lost)}`, breaking: true })
  if (added.length > 0 && old.accept !== undefined) changes.push({ what: `it now accepts ${quoted(added)}`, breaking: false })
  for (const name of old.thumbnails.keys())
    if (!now.thumbnails.has(name)) changes.push({ what: `the thumbnail '${name}' was removed`, breaking: true })
  for (const name of now.thumbnails.keys())
    if (!old.thumbnails.has(name)) changes.push({ what: `the thumbnail '${name}' was added`, breaking: false })
  return changes
}

/** @param sign 1 if a higher number rejects more, -1 if a lower one does */
function numberChange(
  key: string,
  was: number | undefined,
  is: number | undefined,
  sign: 1 | -1,
  show: (value: number) => string,
): FileChange[] {
  if (was === is) return []
  const shown = (value: number | undefined) => (value === undefined ? 'not set' : show(value))
  const none = sign === 1 ? -Infinity : Infinity
  return [{ what: `${key} was ${shown(was)} and is ${shown(is)}`, breaking: ((is ?? none) - (was ?? none)) * sign > 0 }]
}
