/** A project whose model has a field of every type, and seed records that are difficult to write and read. */
export const EVERYTHING = {
  'models/thing.yaml': `name: Thing
timestamps: true
fields:
  - { name: a_string, type: string }
  - { name: a_text, type: text, default: not null }
  - { name: an_email, type: email }
  - { name: a_url, type: url }
  - { name: a_slug, type: slug, unique: true }
  - { name: a_secret, type: password }
  - { name: an_integer, type: integer, default: 7 }
  - { name: a_number, type: number }
  - { name: a_decimal, type: decimal }
  - { name: a_boolean, type: boolean }
  - { name: a_date, type: date }
  - { name: a_time, type: time }
  - { name: a_datetime, type: datetime }
  - { name: a_choice, type: choice, choices: [one, '=two', 'th;ree'] }
  - { name: some_choices, type: multichoice, choices: [a, 'b;c', 'd\\e', ' f ', '=g', "h'"] }
  - { name: a_json, type: json }
  - { name: a_uuid, type: uuid }
  - { name: parent_id, type: foreignkey, model: thing }
  - { name: others, type: many_to_many, model: thing }
  - { name: twin_id, type: one_to_one, model: thing }
`,
} as const

/** Texts that spreadsheets, CSV readers and shells interpret. */
export const NASTY: readonly string[] = [
  '',
  '=1+1',
  "'=1+1",
  "''=1",
  "'",
  "it's",
  '\n=1',
  '\r=1',
  '\r',
  '\n',
  'a\rb',
  'a\nb',
  'a\r\nb',
  '-5',
  '+5',
  '@SUM(A1)',
  '＝1+1',
  "'＝1",
  '＋5',
  '－5',
  '＠SUM(A1)',
  '\tTab',
  'a,b',
  '"',
  '"quoted"',
  'a "word"',
  ';',
  ' spaces ',
  '   ',
  ' =1',
  '},{"id":5',
  'null',
  'NULL',
  'true',
  '007',
  '\uFEFFmark',
  '👩‍👩‍👧 emoji',
  'Ünïcödé',
  '\\',
  '\\;',
  '#comment',
]

/** Records of the model as sent in a create request. */
export const THINGS: readonly Readonly<Record<string, unknown>>[] = [
  ...NASTY.map((text, index) => ({ a_string: text, a_text: text, a_json: text, an_integer: index - 5 })),
  {
    a_string: null,
    a_text: null,
    an_integer: null,
    an_email: 'ann@example.org',
    a_url: 'https://example.org/?a=1,2&b=%22',
    a_slug: '-dash',
    a_secret: 'do-not-tell-anybody',
    a_number: -5,
    a_decimal: '-1.5',
    a_boolean: false,
    a_date: '2024-02-29',
    a_time: '18:30:15.25',
    a_datetime: '2024-05-01T10:30:00+02:00',
    a_choice: '=two',
    some_choices: ['b;c', 'd\\e', ' f ', '=g', "h'"],
    a_json: { a: [1, null, { b: '=1,"2"' }], '': -0.5 },
    parent_id: 1,
    others: [3, 1, 2],
    twin_id: 2,
  },
  {
    a_slug: '',
    a_number: 1234567890123456800,
    a_decimal: -0.25,
    a_boolean: true,
    a_choice: 'th;ree',
    some_choices: ['a'],
    a_json: [],
    others: [1],
  },
  { a_number: 1e21, a_decimal: '-98765432109876543210.0123456789' },
  { a_number: 5e-324, an_integer: 9007199254740991, some_choices: [' f '], a_json: -5 },
  { a_number: 0.1, some_choices: ['=g', 'a'], a_json: '', a_time: '00:00' },
  { a_json: false, a_datetime: '0001-01-01T00:00:00Z' },
]
