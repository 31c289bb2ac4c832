import { RE2JS } from 're2js'

/**
 * Compiles a pattern for an engine that runs in time linear to the text (RE2), whoever wrote the pattern and the text.
 * Backreferences and lookaround are not to be had in linear time, so they are refused here.
 *
 * @throws {Error} saying what is wrong with the pattern
 */
export function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace('error parsing regexp: ', '')
    const unsafe = /\(\?(?:[=!]|<[=!])|\\[1-9]/.test(pattern)
    throw new Error(
      unsafe
        ? `${reason}; lookaround and backreferences are refused because they can take exponential time`
        : `${reason}; it must be a regular expression in RE2 syntax`,
    )
  }
}
