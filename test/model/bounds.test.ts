import { faultTable } from './models.ts'

faultTable('bounds that nothing can meet', [
  [
    'lengths',
    '{ name: a, type: string, min_length: 5, max_length: »3 }',
    "No value of 'a' is possible: min_length 5 is greater than max_length 3",
  ],
  [
    'numbers',
    '{ name: a, type: number, gte: 5, lte: »3 }',
    "No value of 'a' is possible: no number lies within its limits 5 and 3",
  ],
  [
    'gt and lte of one number',
    '{ name: a, type: number, gt: 5, lte: »5 }',
    "No value of 'a' is possible: no number lies within its limits 5 and 5",
  ],
  ['gte and lt of one number', '{ name: a, type: number, gte: 5, lt: »5 }', "No value of 'a' is possible: …"],
  [
    'no integer between',
    '{ name: a, type: integer, gt: 1, lt: »2 }',
    "No value of 'a' is possible: no integer lies within its limits",
  ],
  ['no integer between fractions', '{ name: a, type: integer, gte: 1.2, lte: »1.8 }', "No value of 'a' is possible: …"],
  ['under their aliases', '{ name: a, type: integer, ge: 5, le: »3 }', "No value of 'a' is possible: …"],
  [
    'one alias: each fault has the position of the written key',
    [
      '{ name: a, type: number, gte: 5, le: »3 }',
      '{ name: b, type: number, ge: 5, lte: »3 }',
      '{ name: c, type: number, ge: 5, lt: »5 }',
    ],
    "No value of 'a' is possible: …",
    "No value of 'b' is possible: …",
    "No value of 'c' is possible: …",
  ],
  [
    'several problems together',
    '{ name: a, type: string, min_length: 5, max_length: »3, choices: »[1], pattern: »"[a" }',
    "No value of 'a' is possible: min_length 5 is greater than max_length 3",
    "The choices of 'a' must be text; put quotes around it (found 1)",
    "The pattern of 'a' is invalid: …",
  ],
  ['text among numbers', '{ name: a, type: integer, choices: »[1, two] }', 'The choices of \'a\' must be numbers (found "two")'],
  [
    'numbers among text',
    '{ name: a, type: choice, choices: »[one, 2] }',
    "The choices of 'a' must be text; put quotes around it (found 2)",
  ],
])

faultTable('defaults that the field would refuse', [
  ['another type', '{ name: a, type: integer, default: »"1" }', "The default of 'a' must be an integer"],
  ['not among the choices', '{ name: a, type: choice, choices: [x, y], default: »z }', "The default of 'a' must be one of: x, y"],
  [
    'a list with an item that is not a choice',
    '{ name: a, type: multichoice, choices: [x, y], default: »[x, z] }',
    "The default of 'a' must be one of: x, y",
  ],
  [
    'too short',
    '{ name: a, type: string, min_length: 3, default: »ab }',
    "The default of 'a' must be at least 3 characters long",
  ],
  ['a day that does not exist', '{ name: a, type: date, default: »2023-02-29 }', "The default of 'a' must be a valid date"],
  ['does not match the pattern', "{ name: a, type: string, pattern: '^x', default: »y }", "The default of 'a' format is invalid"],
  ['text for a boolean', '{ name: a, type: boolean, default: »yes }', "The default of 'a' must be a boolean"],
])
