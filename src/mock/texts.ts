import type { Faker } from '@faker-js/faker'

type Make = (faker: Faker) => string

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
/** `quiet harbour` */
const thing: Make = (faker) => `${faker.word.adjective()} ${faker.word.noun()}`
const LINKS = ['and', 'of', 'behind', 'under', 'without'] as const
const slug: Make = (faker) => faker.helpers.slugify(`${thing(faker)} ${faker.word.noun()}`).toLowerCase()

/** Reserved domains (RFC 2606), since mock addresses may be sent mail by mistake. */
export const mockEmail: Make = (faker) => faker.internet.exampleEmail().toLowerCase()
export const mockUrl: Make = (faker) => `https://www.example.com/${slug(faker)}`

/** `Quiet harbour of the old lantern` */
export const title: Make = (faker) => capitalised(`${thing(faker)} ${faker.helpers.arrayElement(LINKS)} the ${thing(faker)}`)
const name: Make = (faker) => capitalised(thing(faker))
export const sentence: Make = (faker) => faker.lorem.sentence()
export const paragraph: Make = (faker) => faker.lorem.paragraph()
const fullName: Make = (faker) => faker.person.fullName()
const company: Make = (faker) => faker.company.name()

/** Generators by the name of a text field; the first match counts. */
const BY_FIELD: readonly (readonly [RegExp, Make])[] = [
  [/user_?name|^login$|nick(_?name)?$|^handle$/, (faker) => faker.internet.username()],
  [/first_?name|given_?name/, (faker) => faker.person.firstName()],
  [/last_?name|sur_?name|family_?name/, (faker) => faker.person.lastName()],
  [/middle_?name/, (faker) => faker.person.middleName()],
  [/file_?name/, (faker) => faker.system.fileName()],
  [/(^|_)e?_?mail/, mockEmail],
  [/(full|display|guest|contact|author|customer|owner|recipient)_?name|^(author|customer|owner|recipient|contact)$/, fullName],
  [/product(_?name)?$/, (faker) => faker.commerce.productName()],
  [/company|organi[sz]ation|employer|supplier|vendor|brand|manufacturer|publisher/, company],
  [/occupation|profession|job|position$/, (faker) => faker.person.jobTitle()],
  [/phone|mobile|(^|_)(fax|tel)$/, (faker) => faker.phone.number()],
  [/street|address(_?line)?_?1?$/, (faker) => faker.location.streetAddress()],
  [/(^|_)(city|town|birth_?place)$/, (faker) => faker.location.city()],
  [/country_?code|^iso_?code$/, (faker) => faker.location.countryCode()],
  [/(^|_)country$/, (faker) => faker.location.country()],
  [/(^|_)(state|province|region)$/, (faker) => faker.location.state()],
  [/zip|post(al)?_?code/, (faker) => faker.location.zipCode()],
  [/time_?zone/, (faker) => faker.location.timeZone()],
  [/colou?r/, (faker) => faker.color.human()],
  [/currency/, (faker) => faker.finance.currencyCode()],
  [/iban/, (faker) => faker.finance.iban()],
  [/(^|_)(bic|swift)(_|$)/, (faker) => faker.finance.bic()],
  [/isbn/, (faker) => faker.commerce.isbn()],
  [/(^|_)(ean|upc|barcode)$/, (faker) => faker.commerce.upc()],
  [/(^|_)ip(_?addr(ess)?)?$/, (faker) => faker.internet.ip()],
  [/u?uid$|guid/, (faker) => faker.string.uuid()],
  [/(^|_)(locale|lang(uage)?)(_?code)?$/, (faker) => faker.location.language().alpha2],
  [/url|link|web_?site|home_?page/, mockUrl],
  [/mime/, (faker) => faker.system.mimeType()],
  [/version/, (faker) => faker.system.semver()],
  [/title|subject|head_?line|heading/, title],
  [/slug/, slug],
  [/(^|_)(sku|code|ref(erence)?|number|no)$/, (faker) => faker.string.alphanumeric({ length: 8, casing: 'upper' })],
  [/summary|excerpt|tag_?line|abstract|caption|teaser|description/, sentence],
  [/body|content|(^|_)(bio|notes?|comments?|message|text|details|about)$/, paragraph],
]

/** Generators of `name`, by model. */
const BY_MODEL: readonly (readonly [RegExp, Make])[] = [
  [
    /user|person|people|customer|author|employee|member|contact|client|patient|student|teacher|guest|doctor|physician|nurse|staff/,
    fullName,
  ],
  [/product|item/, (faker) => faker.commerce.productName()],
  [/company|organi[sz]ation|supplier|vendor|brand|manufacturer|publisher/, company],
  [/city|town/, (faker) => faker.location.city()],
  [/country/, (faker) => faker.location.country()],
  [/categor|department/, (faker) => faker.commerce.department()],
  [/tag|label|topic/, (faker) => capitalised(faker.word.noun())],
  [/book/, (faker) => faker.book.title()],
]

/** The generator that a field's name suggests, if any. */
export function textByName(field: string, model: string): Make | undefined {
  const snaked = snake(field)
  const found = BY_FIELD.find(([pattern]) => pattern.test(snaked))?.[1]
  if (found !== undefined || !/(^|_)(name|label)$/.test(snaked)) return found
  return BY_MODEL.find(([pattern]) => pattern.test(model))?.[1] ?? name
}

/** `publishedAt` → `published_at`, so that names match in either spelling. */
export const snake = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()

/** Generators by field type, for names that suggest nothing. */
export const TEXT_BY_TYPE = {
  string: name,
  text: paragraph,
  email: mockEmail,
  url: mockUrl,
  slug,
} as const satisfies Record<string, Make>
