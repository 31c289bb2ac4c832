import { type FileEntry, FilesDraft, fileOf, type Upload } from '../cells/file-values.ts'

/** The value of a field that has the entries. */
export function valueOfEntries(entries: readonly FileEntry[], isList: boolean): unknown {
  if (entries.some(({ upload }) => upload !== undefined)) return new FilesDraft(entries, isList)
  const files = entries.flatMap((entry) => fileOf(entry) ?? [])
  return isList ? files : (files[0] ?? null)
}

/** The entry of an upload that has begun. */
export const uploadEntry = (upload: Upload): FileEntry => ({ key: upload.key, name: upload.file.name, alt: null, upload })

/** The entries with some more at their end; a field of one file has the last one only. */
export const withEntries = (entries: readonly FileEntry[], added: readonly FileEntry[], isList: boolean): readonly FileEntry[] =>
  isList ? [...entries, ...added] : added.length === 0 ? entries : added.slice(-1)

/** The entries with the one at `from` moved to `to`; the same entries if it cannot be moved there. */
export function movedEntry(entries: readonly FileEntry[], from: number, to: number): readonly FileEntry[] {
  const moved = entries[from]
  if (moved === undefined || to < 0 || to >= entries.length || from === to) return entries
  const others = entries.toSpliced(from, 1)
  return others.toSpliced(to, 0, moved)
}

/** The entries with another name and alternative text of one. */
export const renamedEntry = (
  entries: readonly FileEntry[],
  key: string,
  name: string,
  alt: string | null,
): readonly FileEntry[] => entries.map((entry) => (entry.key === key ? { ...entry, name, alt } : entry))

/** The entries without one, and the key of that which takes its place: the next one, otherwise the last. */
export function withoutEntry(
  entries: readonly FileEntry[],
  key: string,
): { readonly entries: readonly FileEntry[]; readonly neighbour: string | undefined } {
  const place = entries.findIndex((entry) => entry.key === key)
  const rest = entries.filter((entry) => entry.key !== key)
  return { entries: rest, neighbour: (rest[place] ?? rest.at(-1))?.key }
}
