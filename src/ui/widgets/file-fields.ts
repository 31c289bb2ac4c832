import type { SiteField } from '../../client/client.ts'

/** True for fields of files and images. */
export const takesFiles = ({ type }: Pick<SiteField, 'type'>): boolean => type === 'file' || type === 'image'

/** A value of a field of files as the API takes it, in JSON: ids with names and alternative texts. Drafts are written as such. */
export const filesText = (value: unknown): string => JSON.stringify(value ?? null, ['id', 'name', 'alt'])
