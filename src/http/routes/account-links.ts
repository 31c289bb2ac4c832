import type { Actor } from '../../auth/permissions.ts'
import { forbidden, SHELL, superusersOnly } from '../../auth/permissions.ts'
import { body, jsonContent, type ParameterObject } from '../../openapi/operation.ts'
import { COUNT_SCHEMA, FLAG, MOMENT, nullable, object, ref, type Schema, strictObject, TEXT } from '../../openapi/schema.ts'
import { readRecordId } from '../../query/parameters.ts'
import { readTexts } from '../../validate/issues.ts'
import type { ApiRoute, RouteSource } from '../api-route.ts'
import { actorOf, clientOf } from '../request.ts'
import { MAX_ACCOUNT_BYTES } from './auth.ts'

const ID: Schema = { type: 'integer', minimum: 1 }
const TOKEN: Schema = { ...TEXT, description: 'Of the fragment of the link; good once' }

const INVITATION: Readonly<Record<string, Schema>> = {
  id: ID,
  email: TEXT,
  groups: { type: 'array', items: ID, description: 'Ids of the groups of the new account' },
  invited_by: { ...nullable(object({ id: ID, username: TEXT })), description: 'Null for one of the command line' },
  created_at: MOMENT,
  expires_at: MOMENT,
}

/** Schemas of links. Lower case, so that no model's schema has the same name. */
export const ACCOUNT_LINK_SCHEMAS: Readonly<Record<string, Schema>> = {
  invitation: { ...object(INVITATION), description: 'An open invitation' },
}

/** Only for commands that hold the secret of the server. @throws {AppError} FORBIDDEN */
const shellOnly = (actor: Actor): void => {
  if (actor !== SHELL) throw forbidden(actor)
}

/** Resets, invitations and verified addresses: what accounts do by links that are good once. */
export function accountLinkRoutes({ roots: { auth }, responses }: RouteSource): ApiRoute[] {
  const common = { tag: 'auth', maxBodyBytes: MAX_ACCOUNT_BYTES } as const
  const success = (description: string, members: Readonly<Record<string, Schema>>) =>
    responses.success(description, jsonContent(object(members)))
  const message = { message: TEXT }
  const user: Schema = strictObject({ user_id: ID })
  const id: ParameterObject = { name: 'id', in: 'path', required: true, schema: ID }
  return [
    {
      ...common,
      method: 'GET',
      path: `${auth}/methods`,
      access: 'open',
      limit: 'address',
      operationId: 'listLoginMethods',
      summary: 'The ways to log in',
      description: 'Tells nothing of users.',
      answers: {
        200: success('The ways', {
          password: FLAG,
          password_reset: { ...FLAG, description: 'Whether a link to set another password can be asked for' },
          providers: { type: 'array', items: object({ name: TEXT, title: TEXT }) },
        }),
      },
      handler:
        ({ settings }) =>
        () => {
          const { password_reset, providers = [] } = settings.accounts
          return { password: true, password_reset, providers: providers.map(({ name, title }) => ({ name, title })) }
        },
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/password/forgot`,
      access: 'open',
      limit: 'login',
      operationId: 'forgotPassword',
      summary: 'Ask for a link to set another password',
      description:
        'The answer and its time are the same whether an account has the address or not. A link is good for 30 minutes; a user has at most three.',
      requestBody: body(jsonContent(strictObject({ email: TEXT }))),
      answers: { 202: success('The request is taken', message) },
      failures: ['limited', 'notFound'],
      handler:
        ({ accountLinks, settings }, { random }) =>
        (request, h) => {
          accountLinks.resets.request(request.payload, clientOf(request, settings.trusted_proxies, random))
          return h.response({ message: 'If an account has this address, a link is sent to it' }).code(202)
        },
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/password/reset`,
      access: 'open',
      limit: 'login',
      operationId: 'resetPassword',
      summary: 'Set another password with the token of a link',
      description:
        'Ends all sessions of the user, spends the token, and makes other links of the user invalid. Begins no session.',
      requestBody: body(jsonContent(strictObject({ token: TOKEN, new_password: TEXT, otp: TEXT }, ['token', 'new_password']))),
      answers: { 200: success('The password is set', message) },
      failures: ['unauthenticated', 'limited', 'conflict'],
      handler:
        ({ accountLinks, settings }, { random }) =>
        async (request) => {
          await accountLinks.resets.reset(request.payload, clientOf(request, settings.trusted_proxies, random))
          return { message: 'Password set successfully; log in with it' }
        },
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/password/link`,
      access: 'token',
      admits: shellOnly,
      operationId: 'makePasswordLink',
      summary: 'A link to set another password of a user; only for commands that hold the secret of the server',
      description: 'Refused for a disabled account, and for one without a password.',
      requestBody: body(jsonContent(user)),
      answers: { 201: success('The link', { ...message, data: object({ link: TEXT, expires_at: MOMENT }) }) },
      failures: ['forbidden', 'notFound', 'conflict'],
      handler:
        ({ accountLinks }) =>
        async (request, h) => {
          const data = await accountLinks.resets.link(readUser(request.payload))
          return h.response({ message: 'Link created successfully', data }).code(201)
        },
    },
    {
      ...common,
      method: 'GET',
      path: `${auth}/invitations`,
      access: 'token',
      admits: superusersOnly,
      operationId: 'listInvitations',
      summary: 'The open invitations; for superusers',
      description: 'Those that were neither accepted nor withdrawn, and have not expired.',
      answers: {
        200: success('Latest first, and their total', { data: { type: 'array', items: ref('invitation') }, total: COUNT_SCHEMA }),
      },
      failures: ['forbidden'],
      handler:
        ({ accountLinks }) =>
        (request) =>
          accountLinks.invitations.list(actorOf(request)),
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/invitations`,
      access: 'token',
      admits: superusersOnly,
      operationId: 'invite',
      summary: 'Invite an address to create an account; for superusers',
      description:
        'The answer has the link, which is shown once and is good for 7 days. It replaces another open invitation of the address.',
      requestBody: body(
        jsonContent(strictObject({ email: TEXT, groups: { type: 'array', items: ID, description: 'Ids of groups' } }, ['email'])),
      ),
      answers: {
        201: success('The invitation', {
          ...message,
          data: object({ ...INVITATION, link: TEXT, mailed: { ...FLAG, description: 'Whether the link is also sent by mail' } }),
        }),
      },
      failures: ['forbidden', 'notFound', 'conflict'],
      handler:
        ({ accountLinks, settings }, { random }) =>
        async (request, h) => {
          const client = clientOf(request, settings.trusted_proxies, random)
          const data = await accountLinks.invitations.create(actorOf(request), request.payload, client)
          return h.response({ message: 'Invitation created successfully', data }).code(201)
        },
    },
    {
      ...common,
      method: 'DELETE',
      path: `${auth}/invitations/{id}`,
      access: 'token',
      admits: superusersOnly,
      operationId: 'withdrawInvitation',
      summary: 'Withdraw an open invitation; for superusers',
      description: 'Its link is no longer valid.',
      parameters: [id],
      answers: { 200: success('The invitation', { ...message, data: ref('invitation') }) },
      failures: ['forbidden', 'notFound'],
      handler:
        ({ accountLinks }) =>
        async (request) => ({
          message: 'Invitation withdrawn successfully',
          data: await accountLinks.invitations.remove(actorOf(request), readRecordId(String(request.params.id))),
        }),
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/invitations/accept`,
      access: 'open',
      limit: 'login',
      operationId: 'acceptInvitation',
      summary: 'Create the account of an invitation',
      description: 'Spends the token. The address of the invitation counts as verified. Begins no session.',
      requestBody: body(jsonContent(strictObject({ token: TOKEN, username: TEXT, password: TEXT }))),
      answers: { 201: success('The account is created', message) },
      failures: ['limited', 'conflict'],
      handler:
        ({ accountLinks, settings }, { random }) =>
        async (request, h) => {
          await accountLinks.invitations.accept(request.payload, clientOf(request, settings.trusted_proxies, random))
          return h.response({ message: 'Account created successfully; log in with it' }).code(201)
        },
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/email`,
      access: 'token',
      limit: 'login',
      operationId: 'changeOwnEmail',
      summary: 'Ask for a link to verify the own address, or another one that takes its place',
      description:
        'The present address is told of another one, which counts when it is verified. Needs a login within 10 minutes.',
      requestBody: body(jsonContent(strictObject({ email: TEXT }))),
      answers: { 202: success('The link is sent', message) },
      failures: ['forbidden', 'limited', 'notFound', 'conflict'],
      handler:
        ({ accountLinks }) =>
        async (request, h) => {
          await accountLinks.emails.request(actorOf(request), request.payload)
          return h.response({ message: 'A link is sent to the address, unless another account has it' }).code(202)
        },
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/email/verify`,
      access: 'token',
      limit: 'login',
      operationId: 'verifyOwnEmail',
      summary: 'Verify an address with the token of a link',
      description: 'Only the user who asked for the link can. The address becomes that of the account.',
      requestBody: body(jsonContent(strictObject({ token: TOKEN }))),
      answers: { 200: success('The address is verified', message) },
      failures: ['forbidden', 'limited', 'conflict'],
      handler:
        ({ accountLinks, settings }, { random }) =>
        async (request) => {
          const client = clientOf(request, settings.trusted_proxies, random)
          await accountLinks.emails.verify(actorOf(request), request.payload, client)
          return { message: 'Address verified successfully' }
        },
    },
    {
      ...common,
      method: 'POST',
      path: `${auth}/email/confirmed`,
      access: 'token',
      admits: shellOnly,
      operationId: 'confirmEmail',
      summary: 'Take the address of a user as verified; only for commands that hold the secret of the server',
      description: 'It counts while the address does not change.',
      requestBody: body(jsonContent(user)),
      answers: { 200: success('The address', { ...message, data: object({ email: TEXT }) }) },
      failures: ['forbidden', 'notFound'],
      handler:
        ({ accountLinks, settings }, { random }) =>
        async (request) => {
          const client = clientOf(request, settings.trusted_proxies, random)
          const email = await accountLinks.emails.confirm(readUser(request.payload), client)
          return { message: 'Address confirmed successfully', data: { email } }
        },
    },
  ]
}

/** The member `user_id` of a body. @throws {AppError} VALIDATION_FAILED, RECORD_NOT_FOUND */
function readUser(payload: unknown): number {
  const id = (payload as { user_id?: unknown } | null)?.user_id
  if (typeof id === 'number') return readRecordId(String(id))
  const [text] = readTexts(payload, ['user_id'], { strict: true })
  return readRecordId(text)
}
