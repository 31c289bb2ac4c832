import { RE2JS } from 're2js'

/**
 * Compiles a pattern for RE2, which runs in linear time for every pattern and text. RE2 has no backreferences and no
 * lookaround, so they are rejected.
 *
 * @throws {Error} describing the error in the pattern
 */
export function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace('error parsing regexp: ', '')
    const unsafe = /\(\?(?:[=!]|<[=!])|\\[1-9]/.test(pattern)
    throw new Error(
      unsafe
        ? `${reason}; lookaround and backreferences are not supported, because they can take exponential time`
        : `${reason}; it must be a regular expression in RE2 syntax`,
    )
  }
}
