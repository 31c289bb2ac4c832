/** All lucide icons by their first letter; `build/icons.ts` makes the module. */
declare module 'virtual:icons' {
  const letters: Readonly<
    Record<string, () => Promise<{ readonly default: Readonly<Record<string, import('lucide-react').IconNode>> }>>
  >
  export default letters
}
