import { useEffect, useRef } from 'react'
import type { FieldErrors } from '../../client/client.ts'
import { FilesDraft, type Upload } from '../cells/file-values.ts'
import type { Text } from '../text/en.ts'
import type { FormValues } from './values.ts'

const uploadsIn = (values: FormValues) =>
  Object.values(values).flatMap((value) =>
    value instanceof FilesDraft ? value.entries.flatMap(({ upload }) => upload ?? []) : [],
  )

/**
 * Waits until no upload of some values is under way. Meanwhile files may be added and removed.
 *
 * @param present the values at the time of the call
 */
export async function uploadsEnded(present: () => FormValues): Promise<void> {
  for (;;) {
    const pending = uploadsIn(present()).filter(isPending)
    if (pending.length === 0) return
    await Promise.all(pending.map((upload) => upload.ended()))
    // What the user has done meanwhile is rendered first.
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
}

/** True if an upload of some values is under way, for which a save waits. */
export const hasUploads = (values: FormValues): boolean => uploadsIn(values).some(isPending)

const isPending = (upload: Upload): boolean => ['waiting', 'sending'].includes(upload.status().state)

/** Numbers of files that are not uploaded, by the fields that have some. */
export function unsentFiles(values: FormValues): ReadonlyMap<string, number> {
  const counts = Object.entries(values).map(([name, value]): [string, number] => {
    const uploads = uploadsIn({ [name]: value })
    return [name, uploads.filter((upload) => upload.status().state !== 'done').length]
  })
  return new Map(counts.filter(([, count]) => count > 0))
}

/** The messages of fields whose files are not uploaded. */
export const unsentProblems = (unsent: ReadonlyMap<string, number>, text: Text['files']): FieldErrors =>
  Object.fromEntries([...unsent].map(([name, count]) => [name, [text.unsent(count)]]))

/** Gives up the uploads of some values. */
export function cancelUploads(values: FormValues): void {
  for (const upload of uploadsIn(values)) upload.cancel()
}

/** The uploads of some values belong to a record now. */
export function releaseUploads(values: FormValues): void {
  for (const upload of uploadsIn(values)) upload.release()
}

/** The values that a form has at any time; its uploads are given up when it is left. */
export function useLatestEdits(edits: FormValues): () => FormValues {
  const latest = useRef(edits)
  useEffect(() => {
    latest.current = edits
  })
  useEffect(() => () => cancelUploads(latest.current), [])
  return () => latest.current
}
