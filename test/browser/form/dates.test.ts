import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'

const inBrowser = browserSite()

inBrowser(
  'a day is chosen in a calendar by keyboard, typed as the language writes it, and cleared',
  { at: '/models/post/new', widths: [1280] },
  async ({ page, checkAccess }) => {
    const day = page.getByLabel('Date of the event')
    const field = page.locator('[data-field=event_date]')
    await day.fill('2/7/2026')
    await field.getByRole('button', { name: 'Open the calendar' }).click()
    const calendar = page.getByRole('dialog', { name: 'Calendar' })
    await calendar
      .getByRole('button', { name: /Thursday,? 2 July 2026/ })
      .and(page.locator(':focus'))
      .waitFor()
    assert.equal(await day.inputValue(), '02/07/2026')
    // In Britain weeks begin on Monday.
    assert.equal(await calendar.getByRole('columnheader').first().innerText(), 'Mon')
    await checkAccess()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('PageDown')
    await calendar
      .getByRole('button', { name: /Sunday,? 9 August 2026/ })
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.press('Enter')
    await calendar.waitFor({ state: 'detached' })
    assert.equal(await day.inputValue(), '09/08/2026')
    await day.press('ArrowDown')
    await calendar.getByRole('button', { name: 'Clear' }).click()
    await calendar.waitFor({ state: 'detached' })
    assert.equal(await day.inputValue(), '')
    assert.equal(await page.locator('input[type=date], input[type=time], input[type=datetime-local], select').count(), 0)
  },
)
