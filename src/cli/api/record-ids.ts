import { InvalidArgumentError } from 'commander'

/** An id on the command line. */
export function parseId(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('An id is a number from 1.')
  return Number(text)
}
