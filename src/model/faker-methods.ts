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
