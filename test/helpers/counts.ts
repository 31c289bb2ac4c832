/** True where tests repeat as often as a guarantee is stated, such as 10,000 races; the suites repeat less often, since they run at each change. */
const IS_FULL = process.env.ADMIN_TEST_COUNTS === 'full'

/** How often a test repeats what it tests: in the suites, or with `ADMIN_TEST_COUNTS=full`. */
export const repetitions = (few: number, full: number): number => (IS_FULL ? full : few)
