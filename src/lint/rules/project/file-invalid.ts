import type { LintRule } from '../../rule.ts'

/** Files that cannot be read or parsed. */
export const fileInvalid: LintRule = {
  id: 'file/invalid',
  severity: 'error',
  summary: 'A file of the project cannot be read',
  details: `A file in models/, views/ or seed/, or the settings, is not valid YAML or JSON, cannot be loaded as a module, has an
unsupported format, or is in the wrong place. It is not ignored, since its definitions would be missing.

Correct the cause that the message names. For a module, it is the error thrown while loading it.`,
  invalid: [
    { files: { 'models/other.yaml': 'name: Other\n»name«: Another\nfields: []\n' } },
    { files: { 'views/post.json': '{ "name": »x« }\n' } },
    { files: { 'views/post.toml': '»n«ame = "PostList"\n' } },
    { files: { 'models/other.ts': "throw »new« Error('not today')\n" } },
  ],
  valid: [
    { files: { 'models/other.yaml': 'name: Other\nfields: []\n' } },
    { files: { 'models/other.json': '{ "name": "Other", "fields": [] }\n' } },
  ],
}
