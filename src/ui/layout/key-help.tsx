import { Dialog } from '../parts/popups.tsx'
import { commandKey } from '../text/format.ts'
import { useText } from '../text/text.tsx'

/** Lists the keys of the page. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const text = useText()
  const { names } = text.keys
  const mod = commandKey(names)
  const rows: readonly (readonly [readonly string[], string])[] = [
    [[mod, 'K'], text.keys.palette],
    [['?'], text.keys.help],
    [['/'], text.keys.search],
    [['N'], text.keys.create],
    [['J', 'K'], text.keys.rows],
    [[names.enter], text.keys.open],
    [[mod, 'S'], text.keys.save],
    [['Esc'], text.keys.close],
    [['Tab'], text.keys.next],
    [[names.space], text.keys.select],
  ]
  return (
    <Dialog isOpen onClose={onClose} title={text.shell.keys}>
      <table className="table">
        <thead className="visually-hidden">
          <tr>
            <th scope="col">{text.keys.key}</th>
            <th scope="col">{text.keys.effect}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([keys, effect]) => (
            <tr key={effect}>
              <td>
                {keys.map((key) => (
                  <kbd key={key} className="key">
                    {key}
                  </kbd>
                ))}
              </td>
              <td>{effect}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  )
}
