/** Saves a file as the browser saves downloads. */
export function saveFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 1000)
}

/** A name for a file, without characters that file names may not have. */
export const fileNameOf = (name: string, ending: string): string => `${name.replace(/[\\/:*?"<>|]/g, ' ').trim()}.${ending}`
