const BROWSERS = ['Edg', 'OPR', 'Firefox', 'HeadlessChrome', 'Chrome', 'Safari']
const NAMES: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera', HeadlessChrome: 'Chrome' }
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS X', 'Linux']

/** Browser and system of a `User-Agent`, or its beginning for other programs. */
export function deviceOf(agent: string | null): string | undefined {
  if (agent === null) return undefined
  const browser = BROWSERS.find((name) => agent.includes(`${name}/`))
  const system = SYSTEMS.find((name) => agent.includes(name))
  if (browser === undefined) return agent.split(' ')[0]
  return [NAMES[browser] ?? browser, system].filter(Boolean).join(', ')
}
