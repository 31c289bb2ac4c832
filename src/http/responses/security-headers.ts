/** Header fields as a flat list of names and values. */
export type HeaderFields = readonly (string | number)[]

/** Header fields of every response. Responses are data, which browsers must not run, frame, sniff or embed. */
export const SECURITY_HEADERS: HeaderFields = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options',
  'DENY',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Referrer-Policy',
  'no-referrer',
]
