import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'

/** As long as other waits in a browser may take, in milliseconds. */
const LIMIT = 60_000
const POLL = 20

/**
 * Waits until a read of the page has a value, for what changes a moment after an action. Fails with the last difference.
 *
 * @param read such as `() => input.inputValue()`; one that fails, since a former state is still shown, is repeated
 */
export async function assertBecomes<T>(read: () => Promise<T>, expected: T, message?: string): Promise<void> {
  const end = performance.now() + LIMIT
  for (;;) {
    try {
      assert.deepEqual(await read(), expected, message)
      return
    } catch (error) {
      if (performance.now() > end) throw error
    }
    await setTimeout(POLL)
  }
}

/** The input of a form by its label. A list that is still shown has labels with the same words, such as the width of a column. */
export const fieldOf = (within: Page | Locator, label: string): Locator => within.locator('[data-field]').getByLabel(label)
