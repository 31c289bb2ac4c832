import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'
import { choose } from '../../helpers/browser-typing.ts'

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
    await assertBecomes(() => day.inputValue(), '02/07/2026')
    // In Britain weeks begin on Monday.
    await assertBecomes(() => calendar.getByRole('columnheader').first().innerText(), 'Mon')
    await checkAccess()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('PageDown')
    await calendar
      .getByRole('button', { name: /Sunday,? 9 August 2026/ })
      .and(page.locator(':focus'))
      .waitFor()
    await page.keyboard.press('Enter')
    await calendar.waitFor({ state: 'detached' })
    await assertBecomes(() => day.inputValue(), '09/08/2026')
    await day.press('ArrowDown')
    await calendar.getByRole('button', { name: 'Clear' }).click()
    await calendar.waitFor({ state: 'detached' })
    await assertBecomes(() => day.inputValue(), '')
    assert.equal(await page.locator('input[type=date], input[type=time], input[type=datetime-local], select').count(), 0)
  },
)

inBrowser(
  'the calendar and the time beside it keep what is typed for the other, and a text that is no time stays with its pattern',
  { at: '/models/post/new', widths: [1280] },
  async ({ page, checkAccess }) => {
    await choose(page.getByLabel('Status'), 'Published')
    const moment = page.getByLabel('Published at')
    const field = page.locator('[data-field=published_at]')
    await moment.fill('2/7/2026')
    await field.getByRole('button', { name: 'Open the calendar' }).click()
    const calendar = page.getByRole('dialog', { name: 'Calendar' })
    await calendar
      .getByRole('button', { name: /Thursday,? 2 July 2026/ })
      .and(page.locator(':focus'))
      .waitFor()
    const time = calendar.getByLabel('Time')
    await time.pressSequentially('10')
    await time.press('Tab')
    await assertBecomes(() => time.inputValue(), '10')
    await assertBecomes(() => moment.inputValue(), '2/7/2026, 10')
    await calendar.getByText('This is not a time. Write it as hh:mm.').waitFor()
    await checkAccess()
    await time.press('End')
    await time.pressSequentially(':45')
    await calendar.getByText('This is not a time.').waitFor({ state: 'detached' })
    await assertBecomes(() => moment.inputValue(), '2/7/2026, 10:45')
    await calendar.getByRole('button', { name: /Friday,? 3 July 2026/ }).click()
    await assertBecomes(() => moment.inputValue(), '03/07/2026, 10:45')
    await page.keyboard.press('Escape')
  },
)

inBrowser(
  'a text that is no date stays in its input, which says how to write it',
  { at: '/models/post/new' },
  async ({ page }) => {
    const day = page.getByLabel('Date of the event')
    await day.fill('31/2/2026')
    await page.getByText('This is not a date. Write it as dd/mm/yyyy.').waitFor({ state: 'hidden' })
    await day.press('Tab')
    await page.getByText('This is not a date. Write it as dd/mm/yyyy.').waitFor()
    await assertBecomes(() => day.inputValue(), '31/2/2026')
    assert.match((await day.getAttribute('aria-describedby')) ?? '', /-errors/)
    await day.fill('28/2/2026')
    await page.getByText('This is not a date.').waitFor({ state: 'detached' })
  },
)
