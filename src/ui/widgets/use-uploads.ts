import { useEffect, useState, useSyncExternalStore } from 'react'
import type { FileEntry, Upload, UploadStatus } from '../cells/file-values.ts'

const nothing = (): void => {}
const never = () => nothing

/** How far an upload is; undefined for a file of a record. */
export const useUploadStatus = (upload: Upload | undefined): UploadStatus | undefined =>
  useSyncExternalStore(upload?.subscribe ?? never, () => upload?.status())

/** Numbers of the uploads of a field by their states. */
export function useUploadStates(entries: readonly FileEntry[]): {
  readonly done: number
  readonly failed: number
  readonly isPending: boolean
} {
  const uploads = entries.flatMap(({ upload }) => upload ?? [])
  const states = useSyncExternalStore(
    (listener) => {
      const stops = uploads.map((upload) => upload.subscribe(listener))
      return () => {
        for (const stop of stops) stop()
      }
    },
    () => uploads.map((upload) => upload.status().state).join(),
  ).split(',')
  const count = (state: UploadStatus['state']) => states.filter((each) => each === state).length
  return { done: count('done'), failed: count('failed'), isPending: count('waiting') + count('sending') > 0 }
}

/** An address of the contents of an image that the browser has; undefined for other files. */
export function useLocalPicture(file: File | undefined): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (file === undefined || !file.type.startsWith('image/')) return
    const created = URL.createObjectURL(file)
    setAddress(created)
    return () => {
      setAddress(undefined)
      URL.revokeObjectURL(created)
    }
  }, [file])
  return address
}
