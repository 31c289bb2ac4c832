import { test } from 'node:test'

/**
 * A function that declares tests whose bodies get what a function opens for them and closes afterwards, such as an application.
 *
 * @param lend opens, calls the body of the test, and closes; its arguments follow the name of a test
 * @returns `onApp('answers …', async (app) => { … })` for `test('answers …', () => withApp(async (app) => { … }))`
 */
export function testsOf<Args extends unknown[]>(lend: (...args: Args) => Promise<void>): (name: string, ...args: Args) => void {
  return (name, ...args) => {
    test(name, () => lend(...args))
  }
}
