import { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { AppError } from '../../errors.ts'
import { meantOrKnown } from '../../util/suggest.ts'
import { printable, printableJson } from '../../util/text.ts'
import { withApi } from '../api-client.ts'
import type { Io } from '../io.ts'
import { type RemoteOptions, withCodeOption, withRemoteOptions } from '../remote.ts'
import { table } from '../style.ts'

type GrantOptions = RemoteOptions & { readonly group: readonly string[] }

/** A nested record: its id and name. Users without permission see the id only. */
interface Named {
  readonly id: number
  readonly codename?: string
  readonly name?: string
}

/** A user or group as the API shows it. */
interface Holder extends Named {
  readonly username?: string
  readonly permissions: readonly Named[]
  readonly groups?: readonly Named[]
}

/** The source of a permission. */
interface Grant {
  readonly permission: string
  /** True if the user holds it directly. */
  readonly own: boolean
  /** Names of the groups that give it. */
  readonly groups: readonly string[]
}

/** `admin users grant` and `admin users revoke`: change the permissions and groups of a user. */
export function grantCommand(io: Io, name: 'grant' | 'revoke'): Command {
  const isGrant = name === 'grant'
  const description = isGrant ? 'give permissions to a user, or add them to groups' : 'take permissions or groups from a user'
  return withCodeOption(withRemoteOptions(new Command(name).description(description)))
    .argument('<name>', 'username')
    .argument('[permissions...]', 'permissions, such as change_post')
    .option('--group <name>', 'a group; can be given several times', (group, all: string[]) => [...all, group], [])
    .addHelpText(
      'after',
      `\nExamples:\n  $ admin users ${name} ann view_post change_post\n  $ admin users ${name} ann --group editors\n`,
    )
    .action(async (username: string, permissions: string[], options: GrantOptions) => {
      if (permissions.length + options.group.length === 0) {
        throw new AppError('USAGE', 'Name permissions, such as view_post, or groups with --group')
      }
      await withApi(io, options, async ({ client }) => {
        const user = await findUserByName(client, username)
        const change = isGrant ? added : without
        const data = {
          ...(permissions.length > 0 && {
            permissions: change(user.permissions, await recordsNamed(client, 'permission', permissions)),
          }),
          ...(options.group.length > 0 && {
            groups: change(user.groups ?? [], await recordsNamed(client, 'group', options.group)),
          }),
        }
        await client.model('user').update(user.id, data)
      })
      const parts = [...permissions, ...options.group.map((group) => `group ${group}`)].join(', ')
      io.stderr.write(printable(`${isGrant ? `Granted ${parts} to` : `Revoked ${parts} from`} '${username}'`))
      io.stderr.write('\n')
    })
}

/** `admin users show`: prints an account with its effective permissions. */
export function showCommand(io: Io): Command {
  return withRemoteOptions(new Command('show').description('print a user with the effective permissions, own and by group'))
    .argument('<name>', 'username')
    .option('--json', 'print the user, groups and permissions as JSON')
    .addHelpText('after', '\nExample:\n  $ admin users show ann\n')
    .action(async (username: string, options: RemoteOptions & { json?: boolean }) => {
      const { user, grants } = await withApi(io, options, ({ client }) => holdings(client, username), { mode: 'read' })
      const groups = (user.groups ?? []).map(nameOf)
      if (options.json === true) {
        io.stdout.write(`${printableJson({ ...user, groups, permissions: grants })}\n`)
        return
      }
      io.stdout.write(table(['ID', 'USERNAME', 'EMAIL', 'ACTIVE', 'SUPERUSER', 'GROUPS'], [rowOf(user, groups)]))
      if (user.is_superuser === true) io.stdout.write('\nA superuser has all permissions.\n')
      if (grants.length === 0) return
      const rows = grants.map(({ permission, own, groups: by }) => [permission, [...(own ? ['own'] : []), ...by].join(', ')])
      io.stdout.write(`\n${table(['PERMISSION', 'FROM'], rows)}`)
    })
}

type ShownUser = Holder & { readonly email?: unknown; readonly is_active?: unknown; readonly is_superuser?: unknown }

function rowOf({ id, username, email, is_active, is_superuser }: ShownUser, groups: readonly string[]): string[] {
  const yesNo = (value: unknown) => (value === true ? 'yes' : 'no')
  return [String(id), String(username), String(email), yesNo(is_active), yesNo(is_superuser), groups.join(', ') || '-']
}

/** The user, and each effective permission with its origins, by name. */
async function holdings(client: Client, username: string): Promise<{ user: ShownUser; grants: readonly Grant[] }> {
  const user: ShownUser = await findUserByName(client, username)
  const grants = new Map<string, Grant>()
  for (const permission of user.permissions.map(nameOf)) grants.set(permission, { permission, own: true, groups: [] })
  for (const { id } of user.groups ?? []) {
    const group = (await client.model('group').read(id)).data as unknown as Holder
    for (const permission of group.permissions.map(nameOf)) {
      const known = grants.get(permission) ?? { permission, own: false, groups: [] }
      grants.set(permission, { ...known, groups: [...known.groups, nameOf(group)] })
    }
  }
  return { user, grants: [...grants.values()].sort((a, b) => (a.permission < b.permission ? -1 : 1)) }
}

const nameOf = ({ id, codename, name }: Named): string => codename ?? name ?? `#${id}`

const added = (held: readonly Named[], more: readonly Named[]): number[] => [...new Set([...held, ...more].map(({ id }) => id))]

/** @throws {AppError} TASK_FAILED for what the user does not hold */
function without(held: readonly Named[], less: readonly Named[]): number[] {
  const lacking = less.find(({ id }) => !held.some((each) => each.id === id))
  if (lacking !== undefined) {
    const remedy = 'a permission of a group is revoked with --group; see `admin users show`'
    throw new AppError('TASK_FAILED', `The user does not hold '${nameOf(lacking)}' directly; ${remedy}`)
  }
  return held.map(({ id }) => id).filter((id) => !less.some((each) => each.id === id))
}

/** @throws {AppError} TASK_FAILED if there is no such user */
export async function findUserByName(client: Client, username: string): Promise<Holder> {
  const [user] = (await client.model('user').list({ filters: { username } })).data as unknown as readonly Holder[]
  if (user === undefined) throw new AppError('TASK_FAILED', `There is no user '${username}'; see \`admin users list\``)
  return user
}

/** @throws {AppError} TASK_FAILED with the most similar name, or all names */
export async function recordsNamed(client: Client, model: 'permission' | 'group', names: readonly string[]): Promise<Named[]> {
  const all = await allRecordsOf<Named>(client, model)
  return names.map((name) => {
    const found = all.find((each) => nameOf(each) === name)
    if (found !== undefined) return found
    throw new AppError('TASK_FAILED', `There is no ${model} '${name}'${meantOrKnown(name, all.map(nameOf))}`)
  })
}

/** All records of a model. */
export async function allRecordsOf<T extends { readonly id: number }>(client: Client, model: string): Promise<T[]> {
  const all: T[] = []
  for await (const record of client.model(model).all()) all.push(record as { readonly id: number } as T)
  return all
}
