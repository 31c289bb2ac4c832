import { faultTable } from './models.ts'

faultTable('fields that are right', [
  {
    name: 'a field of every type',
    fields: [
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
    faults: [],
  },
  { name: 'id written down', fields: ['{ name: id, type: integer }', '{ name: a, type: string }'], faults: [] },
  { name: 'id written down as primarykey', fields: ['{ name: id, type: primarykey }'], faults: [] },
  {
    name: 'ge and le',
    fields: ['{ name: a, type: integer, ge: 1, le: 5 }', '{ name: b, type: number, ge: 1, lt: 2 }'],
    faults: [],
  },
  {
    name: 'limits with exactly one valid value',
    fields: ['{ name: a, type: integer, gt: 1, lt: 3 }', '{ name: b, type: string, min_length: 2, max_length: 2 }'],
    faults: [],
  },
  {
    name: 'mock hints',
    fields: [
      '{ name: a, type: string, mock: { faker: commerce.productName } }',
      '{ name: b, type: integer, mock: { faker: number.int } }',
    ],
    faults: [],
  },
  { name: 'a default of null', fields: ['{ name: a, type: string, default: null }'], faults: [] },
  { name: 'numbers to choose from', fields: ['{ name: a, type: integer, choices: [1, 2] }'], faults: [] },
  {
    name: 'a cascade on a required key',
    fields: ['{ name: a_id, type: foreignkey, model: user, required: true, on_delete: cascade }'],
    faults: [],
  },
])

const PLAIN = 'use letters, digits and single underscores, and begin with a letter'
const RESERVED = 'since every JavaScript object has a member of that name'

faultTable('names', [
  ...['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'].map((name) => ({
    name,
    fields: [`{ name: »${name}, type: string }`],
    faults: [`'${name}' cannot be a field name, ${RESERVED}`],
  })),
  ...['_a', 'a__b', 'a_', '9a', 'a-b', 'a b', 'ä', 'a.b'].map((name) => ({
    name: JSON.stringify(name),
    fields: [`{ name: »"${name}", type: string }`],
    faults: [`'${name}' cannot be a field name; ${PLAIN}`],
  })),
  {
    name: '"__proto__", in both notations',
    fields: ['{ name: »»"__proto__", type: string }'],
    faults: ["'__proto__' cannot be a field name…", "'__proto__' cannot be a field name…"],
  },
  { name: 'an empty name', fields: ['{ name: »"", type: string }'], faults: ["'name' is not allowed to be empty"] },
  { name: 'a number', fields: ['{ name: »1, type: string }'], faults: ["'name' must be a string"] },
  { name: 'no name', fields: ['»{ type: string }'], faults: ["Key 'name' is missing"] },
  {
    name: 'a foreign key that does not end in _id',
    fields: ['{ name: »author, type: foreignkey, model: user }', '{ name: »twin, type: one_to_one, model: user }'],
    faults: [
      "A foreignkey field is named <relation>_id: write 'author_id'",
      "A one_to_one field is named <relation>_id: write 'twin_id'",
    ],
  },
])

faultTable('types', [
  { name: 'unknown', fields: ['{ name: a, type: »strng }'], faults: ["Unknown type 'strng'; did you mean 'string'?"] },
  { name: 'one in capitals', fields: ['{ name: a, type: »String }'], faults: ["Unknown type 'String'; did you mean 'string'?"] },
  { name: 'one of SQL', fields: ['{ name: a, type: »VARCHAR }'], faults: ["Unknown type 'VARCHAR'; write string"] },
  { name: 'bool', fields: ['{ name: a, type: »bool }'], faults: ["Unknown type 'bool'; write boolean"] },
  { name: 'int', fields: ['{ name: a, type: »int }'], faults: ["Unknown type 'int'; write integer"] },
  { name: 'str', fields: ['{ name: a, type: »str }'], faults: ["Unknown type 'str'; write string"] },
  { name: 'a file', fields: ['{ name: a, type: »file }'], faults: ["Unknown type 'file'; files are not stored: write url…"] },
  { name: 'one like no other', fields: ['{ name: a, type: »blob }'], faults: ["Unknown type 'blob' (known: string, text, …"] },
  { name: '__proto__', fields: ['{ name: a, type: »"__proto__" }'], faults: ["Unknown type '__proto__'…"] },
  { name: 'constructor', fields: ['{ name: a, type: »constructor }'], faults: ["Unknown type 'constructor'…"] },
  { name: 'none', fields: ['»{ name: a }'], faults: ["Field 'a' has no type; use one of string, text, …"] },
  { name: 'id of type text', fields: ['{ name: id, type: »string }'], faults: ["'type' must be one of [integer, primarykey]"] },
  { name: 'none, for id', fields: ['»{ name: id }'], faults: ["Key 'type' is missing"] },
])

faultTable('keys', [
  {
    name: 'unknown',
    fields: ['{ name: a, type: string, »max_lenght: 3 }'],
    faults: ["Unknown key 'max_lenght'; did you mean 'max_length'?"],
  },
  {
    name: 'unknown keys of id',
    fields: ['{ name: id, type: integer, »uniqe: true, »default: 3 }'],
    faults: ["Unknown key 'uniqe'; did you mean 'unique'?", "Unknown key 'default'"],
  },
  {
    name: 'valid definitions of id',
    fields: ['{ name: id, type: integer, label: No., required: true, unique: true }'],
    faults: [],
  },
  {
    name: 'invalid definitions of id',
    fields: ['{ name: id, type: integer, required: »false }'],
    faults: ["'required' must be [true]"],
  },
  {
    name: 'a length limit of a number',
    fields: ['{ name: a, type: integer, »min_length: 3 }'],
    faults: ["Unknown key 'min_length'; an integer field takes unique, default…"],
  },
  {
    name: 'a numeric limit of a text',
    fields: ['{ name: a, type: string, »gte: 3 }'],
    faults: ["Unknown key 'gte'; a string field takes unique, default, min_length…"],
  },
  { name: 'ge of a text', fields: ['{ name: a, type: string, »ge: 3 }'], faults: ["Unknown key 'ge'; a string field takes…"] },
  {
    name: 'on_delete of a many-to-many',
    fields: ['{ name: a, type: many_to_many, model: user, »on_delete: cascade }'],
    faults: ["Unknown key 'on_delete'…"],
  },
  { name: 'unique for a boolean', fields: ['{ name: a, type: boolean, »unique: true }'], faults: ["Unknown key 'unique'…"] },
  {
    name: 'a default for a password',
    fields: ['{ name: a, type: password, »default: secret99 }'],
    faults: ["Unknown key 'default'…"],
  },
  {
    name: 'choices are missing',
    fields: ['»{ name: a, type: choice }', '»{ name: b, type: multichoice }'],
    faults: ["Key 'choices' is missing", "Key 'choices' is missing"],
  },
  {
    name: 'model is not a string',
    fields: ['{ name: a_id, type: foreignkey, model: »5 }'],
    faults: ["'model' must be a string"],
  },
  {
    name: 'model is missing',
    fields: ['»{ name: a_id, type: foreignkey }', '»{ name: b, type: many_to_many }'],
    faults: ["Key 'model' is missing", "Key 'model' is missing"],
  },
  {
    name: 'no choices',
    fields: ['{ name: a, type: choice, choices: »[] }'],
    faults: ["'choices' must contain at least 1 items"],
  },
  {
    name: 'a duplicate choice',
    fields: ['{ name: a, type: choice, choices: [x, »x] }'],
    faults: ["'choices[1]' contains a duplicate value"],
  },
  {
    name: 'an unknown on_delete',
    fields: ['{ name: a_id, type: foreignkey, model: user, on_delete: »nullify }'],
    faults: ["'on_delete' must be one of [restrict, cascade, set_null]"],
  },
  {
    name: 'a length below 0',
    fields: ['{ name: a, type: string, min_length: »-1 }'],
    faults: ["'min_length' must be greater than or equal to 0"],
  },
  {
    name: 'a length that is not an integer',
    fields: ['{ name: a, type: string, max_length: »1.5 }'],
    faults: ["'max_length' must be an integer"],
  },
  { name: 'a bound in quotes', fields: ['{ name: a, type: number, gte: »"1" }'], faults: ["'gte' must be a number"] },
  {
    name: 'a limit under its alias',
    fields: ['{ name: a, type: number, ge: »"1", le: »x }'],
    faults: ["'ge' must be a number", "'le' must be a number"],
  },
  {
    name: 'a limit under its name and its alias',
    fields: ['»{ name: a, type: integer, ge: 1, gte: 2 }', '»{ name: b, type: number, le: 1, lte: 2 }'],
    faults: ['Use only one of [ge, gte]; they mean the same', 'Use only one of [le, lte]; they mean the same'],
  },
  {
    name: 'required in quotes',
    fields: ['{ name: a, type: string, required: »"true" }'],
    faults: ["'required' must be a boolean; write true, without quotes"],
  },
])

faultTable('patterns', [
  {
    name: 'bad',
    fields: ["{ name: a, type: string, pattern: »'[a' }"],
    faults: ["The pattern of 'a' is invalid: missing closing ]: `[a`; it must be a regular expression in RE2 syntax"],
  },
  {
    name: 'unsafe: lookahead',
    fields: ["{ name: a, type: string, pattern: »'^(?!b)' }"],
    faults: ["The pattern of 'a' is invalid: …"],
  },
  {
    name: 'unsafe: backreference',
    fields: ["{ name: a, type: string, pattern: »'(a)\\1' }"],
    faults: ["The pattern of 'a' is invalid: …"],
  },
  { name: 'a number', fields: ['{ name: a, type: string, pattern: »5 }'], faults: ["'pattern' must be a string"] },
])

faultTable('on_delete', [
  {
    name: 'set_null on a required field',
    fields: ['{ name: a_id, type: foreignkey, model: user, required: true, on_delete: »set_null }'],
    faults: ["'a_id' is required, so it cannot be set to null; use restrict or cascade"],
  },
])

faultTable('mock data', [
  {
    name: 'a typing error',
    fields: ['{ name: a, type: string, mock: { faker: »commerce.prodctName } }'],
    faults: ["'commerce.prodctName' is not a supported method of Faker; did you mean 'commerce.productName'?"],
  },
  {
    name: 'a method that returns an object',
    fields: ['{ name: a, type: string, mock: { faker: »airline.airport } }'],
    faults: ["'airline.airport' is not a supported method of Faker; did you mean 'airline.seat'?"],
  },
  {
    name: 'another key',
    fields: ['{ name: a, type: string, mock: { faker: book.title, »fakr: x } }'],
    faults: ["Unknown key 'fakr'; did you mean 'faker'?"],
  },
  {
    name: 'of a relation',
    fields: ['{ name: a_id, type: foreignkey, model: user, »mock: { faker: number.int } }'],
    faults: ["Unknown key 'mock'; a foreignkey field takes…"],
  },
])
