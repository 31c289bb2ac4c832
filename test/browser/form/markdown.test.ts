import assert from 'node:assert/strict'
import { browserSite } from '../../helpers/browser.ts'
import { apiOf } from '../../helpers/browser-api.ts'
import { assertBecomes } from '../../helpers/browser-reading.ts'

const CLINIC = { username: 'admin', password: 'alder-lane-admin-26' }

const inClinic = browserSite({ fixture: 'clinic' })

inClinic(
  'a text in Markdown is edited with its buttons and previewed; a script in it is text, and Undo of the browser takes a mark back',
  { as: CLINIC, at: '/models/patient/7' },
  async ({ page, server, checkAccess }) => {
    const field = page.locator('[data-field=notes]')
    const area = field.getByLabel('Medical notes')
    const press = (name: string) => field.getByRole('button', { name, exact: true }).click()
    await area.fill('Asthma')
    await area.selectText()
    await press('Bold')
    await assertBecomes(() => area.inputValue(), '**Asthma**')
    await area.press('Control+z')
    await assertBecomes(() => area.inputValue(), 'Asthma')
    await area.press('Control+End')
    await area.press('Enter')
    await press('List')
    await area.pressSequentially('letter')
    await area.press('Shift+Home')
    await area.press('Shift+ArrowRight')
    await area.press('Shift+ArrowRight')
    await page.evaluate(PASTE)
    await assertBecomes(() => area.inputValue(), 'Asthma\n- [letter](https://example.org/letter)')
    await area.press('Control+End')
    await area.pressSequentially('\n\n<script>alert(1)</script>')

    await field.getByRole('button', { name: 'Bold' }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    const preview = field.getByRole('region', { name: 'Preview' })
    const link = preview.getByRole('listitem').getByRole('link', { name: 'letter' })
    await assertBecomes(() => link.getAttribute('href'), 'https://example.org/letter')
    await preview.getByText('<script>alert(1)</script>').waitFor()
    await checkAccess()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { data } = await (await apiOf(server, CLINIC)).model('patient').read(7)
    assert.equal(data.notes, 'Asthma\n- [letter](https://example.org/letter)\n\n<script>alert(1)</script>')

    await field.getByRole('button', { name: 'Full screen' }).click()
    const dialog = page.getByRole('dialog', { name: 'Medical notes' })
    await dialog.getByRole('region', { name: 'Preview' }).getByRole('link', { name: 'letter' }).waitFor()
    await checkAccess()
  },
)

/** Pastes an address, as the keyboard does with the clipboard of the system. */
const PASTE = `{
  const clipboardData = new DataTransfer()
  clipboardData.setData('text/plain', 'https://example.org/letter')
  document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
}`
