import { browserSite } from '../../helpers/browser.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const inBrowser = browserSite()

inBrowser(
  'a button with an icon alone has a tooltip for the pointer and the keyboard',
  { at: '/models/post' },
  async ({ page, checkAccess }) => {
    const button = page.getByRole('button', { name: 'Next page' })
    const tooltip = page.locator('.tooltip').getByText('Next page', { exact: true })
    await button.hover()
    await tooltip.waitFor()
    await checkAccess()
    // The pointer may go to the text, for example to read it enlarged.
    await tooltip.hover()
    await tooltip.waitFor()
    await page.getByRole('heading', { level: 1 }).hover()
    await tooltip.waitFor({ state: 'detached' })

    // A focus that follows a key shows it.
    await page.getByRole('textbox', { name: 'Page', exact: true }).focus()
    await page.keyboard.press('Tab')
    await tooltip.waitFor()
    // The pointer comes to lie on something else, as when the page is scrolled; a pointer that leaves would close it within 150 ms.
    await page.getByRole('heading', { level: 1 }).hover()
    await page.waitForTimeout(400)
    await assertBecomes(() => tooltip.isVisible(), true)
    await page.keyboard.press('Escape')
    await tooltip.waitFor({ state: 'detached' })
  },
)
