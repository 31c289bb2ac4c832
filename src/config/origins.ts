import Joi from 'joi'
import { parseUrl } from '../util/urls.ts'

/** Allows every origin. */
export const ANY_ORIGIN = '*'

/** Warning for settings that allow every origin. */
export const ANY_ORIGIN_WARNING =
  "cors is '*': pages of every site may call the API with any token they have; list the origins of your front ends"

/** Allowed CORS origins (RFC 6454), each spelt as browsers send it. */
export const origins = Joi.array()
  .items(
    Joi.string().custom(requireCanonical, 'origin').messages({
      'origin.form':
        "'cors' contains '{{#value}}', which is not an origin; write scheme://host[:port] as browsers send it, such as https://app.example.com or http://localhost:5173",
    }),
  )
  .custom(requireWildcardAlone, 'any origin')
  .messages({ 'origin.any': "'*' in 'cors' already allows every origin; remove it or the others" })

/** Browsers send an origin in one spelling (lower case, no default port, no trailing slash); any other would never match. */
function requireCanonical(value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  const [, scheme = '', host = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@\s*]+)$/.exec(value) ?? []
  const parsed = parseUrl(`http://${host}`) && new URL(/^https?$/.test(scheme) ? value : `${scheme}://${host}`)
  const known = parsed !== undefined && host !== '' && `${parsed.protocol}//${parsed.host}` === value
  return value === ANY_ORIGIN || known ? value : helpers.error('origin.form')
}

function requireWildcardAlone(given: readonly string[], helpers: Joi.CustomHelpers): readonly string[] | Joi.ErrorReport {
  return given.length > 1 && given.includes(ANY_ORIGIN) ? helpers.error('origin.any') : given
}
