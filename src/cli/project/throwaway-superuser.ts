import { randomBytes } from 'node:crypto'
import type { App } from '../../app.ts'
import { SYSTEM } from '../../auth/permissions.ts'
import { AppError } from '../../errors.ts'
import { firstSuperuser, superuserCommand, userNamed } from '../../service/accounts/users.ts'

const NAME = 'admin'

/**
 * Adds a superuser with a random password to an ephemeral application that has none.
 *
 * @param print prints the password at the terminal; undefined if stderr holds a JSON log, which is collected
 */
export async function ensureSuperuser(app: App, print: ((line: string) => void) | undefined): Promise<void> {
  if (app.place !== undefined || (await firstSuperuser(app.store)) !== undefined) return
  const password = randomBytes(15).toString('base64url')
  const isFree = (await userNamed(app.store, NAME)) === undefined
  const username = isFree ? NAME : `${NAME}-${randomBytes(3).toString('hex')}`
  const data = { username, email: `${username}@example.com`, password, is_superuser: true }
  try {
    await app.records.create(SYSTEM, 'user', { data })
  } catch (error) {
    // The project's own user model may have further mandatory fields.
    if (!(error instanceof AppError)) throw error
    const command = superuserCommand(app.project.registry.expect('user'))
    app.log.info(
      `No superuser could be added (${error.message}); run \`${command}\`, or add one to the seed records, in seed/user.yaml`,
    )
    return
  }
  const remedy = 'its password is not printed, since the log is JSON; `admin token` prints a token'
  if (print === undefined) app.log.info(`Added the superuser ${username}, which exists until the server stops; ${remedy}`)
  else print(`Log in as ${username} with the password ${password} (until the server stops)`)
}
