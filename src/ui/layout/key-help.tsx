import { Dialog } from '../parts/popups.tsx'
import { useText } from '../text/text.tsx'

/** The name of the key for commands on this system. */
const MOD = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl'

/** Lists the keys of the page. */
export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const text = useText()
  const rows: readonly (readonly [readonly string[], string])[] = [
    [[MOD, 'K'], text.keys.palette],
    [['?'], text.keys.help],
    [['/'], text.keys.search],
    [['n'], text.keys.create],
    [['j', 'k'], text.keys.rows],
    [['Enter'], text.keys.open],
    [[MOD, 'S'], text.keys.save],
    [['Esc'], text.keys.close],
    [['Tab'], text.keys.next],
    [['Space'], text.keys.select],
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
