import type { Option } from '../../parts/combobox.tsx'

/** Options whose label contains a text, upper and lower case alike. */
export function matchingOptions(options: readonly Option[], text: string): readonly Option[] {
  const wanted = text.trim().toLowerCase()
  return options.filter(({ label }) => label.toLowerCase().includes(wanted))
}
