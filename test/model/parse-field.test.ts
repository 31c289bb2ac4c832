import { type FaultRow, faultTable } from './models.ts'

faultTable('fields that are right', [
  [
    'a field of every type',
    [
      '{ name: a, type: string, label: A, help_text: x, required: true, unique: true, default: abc, choices: [abc], min_length: 1, max_length: 5, pattern: "^a", searchable: false }',
      '{ name: b, type: text }',
      '{ name: c, type: email }',
      '{ name: d, type: url }',
      '{ name: e, type: slug }',
      '{ name: f, type: password, min_length: 8 }',
      '{ name: g, type: integer, gt: 0, lt: 2, default: 1 }',
      '{ name: h, type: number, gte: 1.5, lte: 1.5 }',
      '{ name: i, type: boolean, default: false }',
      '{ name: j, type: date, default: 2024-02-29 }',
      '{ name: k, type: time, unique: true }',
      '{ name: l, type: datetime }',
      '{ name: m, type: choice, choices: [yes, no], default: no }',
      '{ name: n, type: multichoice, choices: [a, b], default: [a] }',
      '{ name: o, type: json, default: { a: [1] } }',
      '{ name: p_id, type: foreignkey, model: user, on_delete: cascade }',
      '{ name: q, type: many_to_many, model: Thing }',
      '{ name: r_id, type: one_to_one, model: thing, on_delete: set_null }',
    ],
  ],
  ['id written down', ['{ name: id, type: integer }', '{ name: a, type: string }']],
  ['id written down as primarykey', '{ name: id, type: primarykey }'],
  ['ge and le', ['{ name: a, type: integer, ge: 1, le: 5 }', '{ name: b, type: number, ge: 1, lt: 2 }']],
  [
    'limits with exactly one valid value',
    ['{ name: a, type: integer, gt: 1, lt: 3 }', '{ name: b, type: string, min_length: 2, max_length: 2 }'],
  ],
  [
    'mock hints',
    [
      '{ name: a, type: string, mock: { faker: commerce.productName } }',
      '{ name: b, type: integer, mock: { faker: number.int } }',
    ],
  ],
  ['a default of null', '{ name: a, type: string, default: null }'],
  ['numbers to choose from', '{ name: a, type: integer, choices: [1, 2] }'],
  ['a cascade on a required key', '{ name: a_id, type: foreignkey, model: user, required: true, on_delete: cascade }'],
])

const PLAIN = 'use letters, digits and single underscores, and begin with a letter'
const RESERVED = 'since every JavaScript object has a member of that name'

faultTable('names', [
  ...['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'].map(
    (name): FaultRow => [name, `{ name: »${name}, type: string }`, `'${name}' cannot be a field name, ${RESERVED}`],
  ),
  ...['_a', 'a__b', 'a_', '9a', 'a-b', 'a b', 'ä', 'a.b'].map(
    (name): FaultRow => [
      JSON.stringify(name),
      `{ name: »"${name}", type: string }`,
      `'${name}' cannot be a field name; ${PLAIN}`,
    ],
  ),
  [
    '"__proto__", in both notations',
    '{ name: »»"__proto__", type: string }',
    "'__proto__' cannot be a field name…",
    "'__proto__' cannot be a field name…",
  ],
  ['an empty name', '{ name: »"", type: string }', "'name' is not allowed to be empty"],
  ['a number', '{ name: »1, type: string }', "'name' must be a string"],
  ['no name', '»{ type: string }', "Key 'name' is missing"],
  [
    'a foreign key that does not end in _id',
    ['{ name: »author, type: foreignkey, model: user }', '{ name: »twin, type: one_to_one, model: user }'],
    "A foreignkey field is named <relation>_id: write 'author_id'",
    "A one_to_one field is named <relation>_id: write 'twin_id'",
  ],
])

faultTable('types', [
  ['unknown', '{ name: a, type: »strng }', "Unknown type 'strng'; did you mean 'string'?"],
  ['one in capitals', '{ name: a, type: »String }', "Unknown type 'String'; did you mean 'string'?"],
  ['one of SQL', '{ name: a, type: »VARCHAR }', "Unknown type 'VARCHAR'; write string"],
  ['bool', '{ name: a, type: »bool }', "Unknown type 'bool'; write boolean"],
  ['int', '{ name: a, type: »int }', "Unknown type 'int'; write integer"],
  ['str', '{ name: a, type: »str }', "Unknown type 'str'; write string"],
  ['a file of another product', '{ name: a, type: »upload }', "Unknown type 'upload'; write file…"],
  ['one like no other', '{ name: a, type: »blob }', "Unknown type 'blob' (known: string, text, …"],
  ['__proto__', '{ name: a, type: »"__proto__" }', "Unknown type '__proto__'…"],
  ['constructor', '{ name: a, type: »constructor }', "Unknown type 'constructor'…"],
  ['none', '»{ name: a }', "Field 'a' has no type; use one of string, text, …"],
  ['id of type text', '{ name: id, type: »string }', "'type' must be one of [integer, primarykey]"],
  ['none, for id', '»{ name: id }', "Key 'type' is missing"],
])

faultTable('keys', [
  ['unknown', '{ name: a, type: string, »max_lenght: 3 }', "Unknown key 'max_lenght'; did you mean 'max_length'?"],
  [
    'unknown keys of id',
    '{ name: id, type: integer, »uniqe: true, »default: 3 }',
    "Unknown key 'uniqe'; did you mean 'unique'?",
    "Unknown key 'default'",
  ],
  ['valid definitions of id', '{ name: id, type: integer, label: No., required: true, unique: true }'],
  ['invalid definitions of id', '{ name: id, type: integer, required: »false }', "'required' must be [true]"],
  [
    'a length limit of a number',
    '{ name: a, type: integer, »min_length: 3 }',
    "Unknown key 'min_length'; an integer field takes unique, default…",
  ],
  [
    'a numeric limit of a text',
    '{ name: a, type: string, »gte: 3 }',
    "Unknown key 'gte'; a string field takes unique, default, min_length…",
  ],
  ['ge of a text', '{ name: a, type: string, »ge: 3 }', "Unknown key 'ge'; a string field takes…"],
  [
    'on_delete of a many-to-many',
    '{ name: a, type: many_to_many, model: user, »on_delete: cascade }',
    "Unknown key 'on_delete'…",
  ],
  ['unique for a boolean', '{ name: a, type: boolean, »unique: true }', "Unknown key 'unique'…"],
  ['a default for a password', '{ name: a, type: password, »default: secret99 }', "Unknown key 'default'…"],
  [
    'choices are missing',
    ['»{ name: a, type: choice }', '»{ name: b, type: multichoice }'],
    "Key 'choices' is missing",
    "Key 'choices' is missing",
  ],
  ['model is not a string', '{ name: a_id, type: foreignkey, model: »5 }', "'model' must be a string"],
  [
    'model is missing',
    ['»{ name: a_id, type: foreignkey }', '»{ name: b, type: many_to_many }'],
    "Key 'model' is missing",
    "Key 'model' is missing",
  ],
  ['no choices', '{ name: a, type: choice, choices: »[] }', "'choices' must contain at least 1 items"],
  ['a duplicate choice', '{ name: a, type: choice, choices: [x, »x] }', "'choices[1]' contains a duplicate value"],
  [
    'an unknown on_delete',
    '{ name: a_id, type: foreignkey, model: user, on_delete: »nullify }',
    "'on_delete' must be one of [restrict, cascade, set_null]",
  ],
  ['a length below 0', '{ name: a, type: string, min_length: »-1 }', "'min_length' must be greater than or equal to 0"],
  ['a length that is not an integer', '{ name: a, type: string, max_length: »1.5 }', "'max_length' must be an integer"],
  ['a bound in quotes', '{ name: a, type: number, gte: »"1" }', "'gte' must be a number"],
  ['a limit under its alias', '{ name: a, type: number, ge: »"1", le: »x }', "'ge' must be a number", "'le' must be a number"],
  [
    'a limit under its name and its alias',
    ['»{ name: a, type: integer, ge: 1, gte: 2 }', '»{ name: b, type: number, le: 1, lte: 2 }'],
    'Use only one of [ge, gte]; they mean the same',
    'Use only one of [le, lte]; they mean the same',
  ],
  [
    'required in quotes',
    '{ name: a, type: string, required: »"true" }',
    "'required' must be a boolean; write true, without quotes",
  ],
])

faultTable('patterns', [
  [
    'bad',
    "{ name: a, type: string, pattern: »'[a' }",
    "The pattern of 'a' is invalid: missing closing ]: `[a`; it must be a regular expression in RE2 syntax",
  ],
  ['unsafe: lookahead', "{ name: a, type: string, pattern: »'^(?!b)' }", "The pattern of 'a' is invalid: …"],
  ['unsafe: backreference', "{ name: a, type: string, pattern: »'(a)\\1' }", "The pattern of 'a' is invalid: …"],
  ['a number', '{ name: a, type: string, pattern: »5 }', "'pattern' must be a string"],
])

faultTable('on_delete', [
  [
    'set_null on a required field',
    '{ name: a_id, type: foreignkey, model: user, required: true, on_delete: »set_null }',
    "'a_id' is required, so it cannot be set to null; use restrict or cascade",
  ],
])

faultTable('mock data', [
  [
    'a typing error',
    '{ name: a, type: string, mock: { faker: »commerce.prodctName } }',
    "'commerce.prodctName' is not a supported method of Faker; did you mean 'commerce.productName'?",
  ],
  [
    'a method that returns an object',
    '{ name: a, type: string, mock: { faker: »airline.airport } }',
    "'airline.airport' is not a supported method of Faker; did you mean 'airline.seat'?",
  ],
  [
    'another key',
    '{ name: a, type: string, mock: { faker: book.title, »fakr: x } }',
    "Unknown key 'fakr'; did you mean 'faker'?",
  ],
  [
    'of a relation',
    '{ name: a_id, type: foreignkey, model: user, »mock: { faker: number.int } }',
    "Unknown key 'mock'; a foreignkey field takes…",
  ],
])
