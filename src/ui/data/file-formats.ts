import type { FileFormat } from '../../client/client.ts'

/** The formats of exports and imports, by the names that users know. */
export const FILE_FORMATS: readonly { readonly value: FileFormat; readonly label: string }[] = [
  { value: 'csv', label: 'CSV' },
  { value: 'json', label: 'JSON' },
  { value: 'ndjson', label: 'NDJSON' },
]
