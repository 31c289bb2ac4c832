/** Tag of the orientation in the first directory of EXIF (Exif 3.0, section 4.6.5). */
const ORIENTATION = 0x0112

const SHORT = 3
const LONG = 4

/**
 * The orientation that EXIF names, from 1 to 8; 1, upright, if it names none. Never fails.
 *
 * @param tiff EXIF from the header of TIFF
 */
export function orientationIn(tiff: Buffer): number {
  const order = tiff.toString('latin1', 0, 4)
  const isLittle = order === 'II*\0'
  if (!isLittle && order !== 'MM\0*') return 1
  const number16 = (at: number): number | undefined =>
    at + 2 > tiff.length ? undefined : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at)
  const number32 = (at: number): number | undefined =>
    at + 4 > tiff.length ? undefined : isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at)
  const directory = number32(4) ?? tiff.length
  const count = number16(directory) ?? 0
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12
    const tag = number16(entry)
    if (tag === undefined) return 1
    if (tag !== ORIENTATION) continue
    const type = number16(entry + 2)
    const value = type === SHORT ? number16(entry + 8) : type === LONG ? number32(entry + 8) : undefined
    return value !== undefined && value >= 1 && value <= 8 ? value : 1
  }
  return 1
}

/** EXIF that names an orientation and nothing else, from the header of TIFF: 26 bytes. */
export function exifOfOrientation(orientation: number): Buffer {
  const tiff = Buffer.alloc(26)
  tiff.write('II*\0', 0, 'latin1')
  tiff.writeUInt32LE(8, 4)
  tiff.writeUInt16LE(1, 8)
  tiff.writeUInt16LE(ORIENTATION, 10)
  tiff.writeUInt16LE(SHORT, 12)
  tiff.writeUInt32LE(1, 14)
  tiff.writeUInt16LE(orientation, 18)
  return tiff
}
