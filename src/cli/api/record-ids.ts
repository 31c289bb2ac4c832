import { InvalidArgumentError } from 'commander'

/** Parses a record id on the command line. */
export function parseId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('An id is a whole number, 1 or greater.')
  return Number(text)
}
