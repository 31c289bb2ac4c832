// The defaults without the log of requests.
const NAMES = ['errors', 'security', 'cors', 'poweredBy', 'query', 'body', 'session', 'favicon', 'public']
module.exports = NAMES.map((name) => `strapi::${name}`)
