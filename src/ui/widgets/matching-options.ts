import type { Option } from '../parts/combobox.tsx'

/** A text in lower case for comparisons that ignore case, as the API makes them: ς becomes σ. */
export const foldedCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ')

/** Options whose label contains a text, upper and lower case alike. */
export function matchingOptions(options: readonly Option[], text: string): readonly Option[] {
  const wanted = foldedCase(text.trim())
  return options.filter(({ label }) => foldedCase(label).includes(wanted))
}
