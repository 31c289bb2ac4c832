import type { Json } from '../util/json.ts'

/** Names of the field types; each type is one file below `model/fields/`. */
export const FIELD_TYPE_NAMES = [
  'string',
  'text',
  'email',
  'url',
  'slug',
  'password',
  'integer',
  'number',
  'decimal',
  'boolean',
  'date',
  'time',
  'datetime',
  'choice',
  'multichoice',
  'json',
  'uuid',
  'foreignkey',
  'many_to_many',
  'one_to_one',
  'file',
  'image',
] as const

/** Name of a field type, such as `string`. */
export type FieldTypeName = (typeof FIELD_TYPE_NAMES)[number]

/** The effect on a record when the record that it refers to is deleted. */
export type DeletionRule = 'restrict' | 'cascade' | 'set_null'

/** Limits of a value. Lengths count characters (code points); `pattern` is a regular expression in RE2 syntax. */
export interface LimitsDefinition {
  readonly choices?: readonly (string | number)[]
  readonly min_length?: number
  readonly max_length?: number
  readonly gt?: number
  readonly lt?: number
  readonly gte?: number
  readonly lte?: number
  /** Maximum number of digits behind the point of a decimal. */
  readonly decimal_places?: number
  readonly pattern?: string
}

/** A thumbnail, as written: `640x360`, `640x` or `x360` in pixels, which it covers, or in detail. */
export type ThumbnailDefinition =
  | string
  | {
      readonly width?: number
      readonly height?: number
      /** `cover` by default. */
      readonly fit?: 'cover' | 'inside'
      /** `webp` by default. */
      readonly format?: 'webp' | 'jpeg' | 'png'
      readonly quality?: number
    }

/** Options of the field types `file` and `image`; those after `accept` are of images only. */
export interface FileDefinition {
  /** True for an ordered list of files. */
  readonly multiple?: boolean
  /** Of a list; at most 100, 20 by default. */
  readonly max_files?: number
  /** Maximum size of a file: a number of bytes, or a text such as `8 MiB`. By default the setting `max_upload_bytes`. */
  readonly max_size?: number | string
  /** Media types such as `application/pdf`, or `image/*`. The bytes of a file decide, not its name. */
  readonly accept?: readonly string[]
  /** Thumbnails by name. Every image has `preview` besides: 256 pixels, inside. */
  readonly thumbnails?: Readonly<Record<string, ThumbnailDefinition>>
  /** Minimum size in pixels, as displayed. */
  readonly min_width?: number
  readonly min_height?: number
  /** Maximum number of pixels of all frames together; 50 million by default. */
  readonly max_pixels?: number
  /** `strip`, the default, removes EXIF, XMP and IPTC, such as the place where a photo was taken. */
  readonly metadata?: 'strip' | 'keep'
}

/** Names of the colours of choices. A front end decides on their shades. */
export const CHOICE_COLORS = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink', 'brown'] as const

/** Name of a colour of a choice, such as `green`. */
type ChoiceColor = (typeof CHOICE_COLORS)[number]

/** A choice with the text and the colour that front ends show for it. */
export interface ChoiceDefinition {
  readonly value: string | number
  readonly label?: string
  readonly color?: ChoiceColor
}

/** Kind of mock data, where name and type of the field do not determine it. */
interface MockHint {
  /** A method of @faker-js/faker, such as `commerce.productName`. */
  readonly faker: FakerMethod
}

/** One field of a model, as written. */
export interface FieldDefinition extends Omit<LimitsDefinition, 'choices'>, FileDefinition {
  /** Letters, digits and single underscores; a foreign key is named `<relation>_id`. */
  readonly name: string
  readonly type: FieldTypeName
  /** The former name of the field. Stored values of that name are taken over. */
  readonly was?: string
  readonly label?: string
  /** Explains the field to people: in forms, at the endpoint of the site and in the OpenAPI document. */
  readonly help_text?: string
  readonly required?: boolean
  readonly unique?: boolean
  /**
   * A value, or how to generate one: `now` for a datetime, `today` for a date (UTC), `uuid` for a uuid (which is generated unless the
   * default is null), `{user: id}` for a foreign key to the user who creates the record.
   */
  readonly default?: Json
  /** The allowed values, with or without labels. */
  readonly choices?: readonly (string | number | ChoiceDefinition)[]
  /** `false` excludes the field from search. */
  readonly searchable?: boolean
  /** `false` leaves out the index of the field on PostgreSQL, where no list is filtered or sorted by it. */
  readonly index?: boolean
  /** For relations: the other model, in lower case. */
  readonly model?: string
  /** For `foreignkey` and `one_to_one`; default: `restrict`. */
  readonly on_delete?: DeletionRule
  /** For all types except relations. */
  readonly mock?: MockHint
}

/** Actions that access to a model is defined for. */
export const ACCESS_ACTIONS = ['view', 'add', 'change', 'delete'] as const

/**
 * The users that may perform an action: `public` for everyone, also without a token, `authenticated` for every user, the members of a group, or a
 * condition over `self`, the record, and `user` (Common Expression Language).
 */
export type AccessGrant = string | { readonly group: string }

/** Access to the records of a model by action, also by those of the project (`actions/`). Actions that are not named need permissions. */
export type AccessDefinition = { readonly [Action in (typeof ACCESS_ACTIONS)[number]]?: AccessGrant } & {
  readonly [action: string]: AccessGrant | undefined
}

/** Pattern of the name of an action. */
export const ACTION_NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

/** An extension of a built-in model, as written: further fields of `user`, `group` or `permission`. */
export interface ModelExtension extends Partial<Omit<ModelDefinition, 'name' | 'was' | 'timestamps'>> {
  readonly extends: 'user' | 'group' | 'permission'
}

/** A model, as written. `id` is implicit. */
export interface ModelDefinition {
  /** Class name, such as `Post`; its lower case is the path segment. */
  readonly name: string
  /** The former name of the model. Its stored records are taken over. */
  readonly was?: string
  readonly label?: string
  /** The field that identifies a record to people where it is referred to. */
  readonly display_field?: string
  /** The group of the model in menus. */
  readonly group?: string
  /** The model's icon in menus: a name of Lucide, such as `file-text`. */
  readonly icon?: string
  /** Adds `created_at` and `updated_at`. */
  readonly timestamps?: boolean
  /** Gives `updated_at` an index on PostgreSQL, for lists that are sorted or filtered by it. Every update then changes this index. */
  readonly index_updated_at?: boolean
  /** False leaves the model out of the history. */
  readonly history?: boolean
  /** Lists of fields of which no two records have all the same values. */
  readonly unique_together?: readonly (readonly string[])[]
  /** Instead of the permissions of these actions; superusers may do everything. */
  readonly access?: AccessDefinition
  readonly fields: readonly FieldDefinition[]
}

/**
 * Methods of @faker-js/faker that `mock: { faker: … }` accepts: those that return a text, number, boolean or date without
 * arguments. Listed here so that validation at start need not load the library; a test compares the list with it.
 */
const METHODS = {
  datatype: 'boolean',
  date: 'anytime birthdate future month past recent soon timeZone weekday',
  location:
    'buildingNumber cardinalDirection city continent country countryCode county direction latitude longitude ordinalDirection postalAddress secondaryAddress state street streetAddress timeZone zipCode',
  number: 'binary float hex int octal romanNumeral',
  string: 'alpha alphanumeric binary hexadecimal nanoid numeric octal sample symbol ulid uuid',
  airline: 'aircraftType flightNumber recordLocator seat',
  animal: 'bear bird cat cetacean cow crocodilia dog fish horse insect lion petName rabbit rodent snake type',
  book: 'author format genre publisher series title',
  color: 'cssSupportedFunction cssSupportedSpace human rgb space',
  commerce: 'department isbn price product productAdjective productDescription productMaterial productName upc',
  company:
    'buzzAdjective buzzNoun buzzPhrase buzzVerb catchPhrase catchPhraseAdjective catchPhraseDescriptor catchPhraseNoun name',
  database: 'collation column engine mongodbObjectId type',
  finance:
    'accountName accountNumber amount bic bitcoinAddress creditCardCVV creditCardIssuer creditCardNumber currencyCode currencyName currencyNumericCode currencySymbol ethereumAddress iban litecoinAddress pin routingNumber transactionDescription transactionType',
  food: 'adjective description dish ethnicCategory fruit ingredient meat spice vegetable',
  git: 'branch commitDate commitEntry commitMessage commitSha',
  hacker: 'abbreviation adjective ingverb noun phrase verb',
  image: 'avatar avatarGitHub dataUri personPortrait url urlPicsumPhotos',
  internet:
    'displayName domainName domainSuffix domainWord email emoji exampleEmail httpMethod httpStatusCode ip ipv4 ipv6 jwt jwtAlgorithm mac password port protocol url userAgent username',
  lorem: 'lines paragraph paragraphs sentence sentences slug text word words',
  music: 'album artist genre songName',
  person:
    'bio firstName fullName gender jobArea jobDescriptor jobTitle jobType lastName middleName prefix sex sexType suffix zodiacSign',
  phone: 'imei number',
  system:
    'commonFileExt commonFileName commonFileType cron directoryPath fileExt fileName filePath fileType mimeType networkInterface semver',
  vehicle: 'bicycle color fuel manufacturer model type vehicle vin vrm',
  word: 'adjective adverb conjunction interjection noun preposition sample verb words',
} as const

type Words<T extends string> = T extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : T

/** Name of an accepted method, such as `commerce.productName`. */
export type FakerMethod = { [M in keyof typeof METHODS]: `${M}.${Words<(typeof METHODS)[M]>}` }[keyof typeof METHODS]

/** Every accepted name. */
export const FAKER_METHODS = Object.entries(METHODS).flatMap(([group, names]) =>
  names.split(' ').map((name) => `${group}.${name}` as FakerMethod),
)
