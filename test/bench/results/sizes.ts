import { failureOf, type Result } from './figures.ts'
import { say } from './report.ts'

/**
 * Runs a benchmark with each number of records. After an error, the rows are failures for that number, and the next number follows.
 *
 * @param rows their names
 */
export async function atEachSize(
  bench: string,
  rows: readonly string[],
  sizes: readonly number[],
  benchAt: (records: number) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const records of sizes) {
    say(`${bench}: ${records} records`)
    try {
      results.push(...(await benchAt(records)))
    } catch (error) {
      results.push(...rows.map((name) => failureOf({ bench, name, records }, error)))
    }
  }
  return results
}
