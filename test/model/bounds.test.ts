import { faultTable } from './models.ts'

faultTable('bounds that nothing can meet', [
  {
    name: 'lengths',
    fields: ['{ name: a, type: string, min_length: 5, max_length: »3 }'],
    faults: ["No value of 'a' is possible: min_length 5 is greater than max_length 3"],
  },
  {
    name: 'numbers',
    fields: ['{ name: a, type: number, gte: 5, lte: »3 }'],
    faults: ["No value of 'a' is possible: no number lies within its limits 5 and 3"],
  },
  {
    name: 'gt and lte of one number',
    fields: ['{ name: a, type: number, gt: 5, lte: »5 }'],
    faults: ["No value of 'a' is possible: no number lies within its limits 5 and 5"],
  },
  {
    name: 'gte and lt of one number',
    fields: ['{ name: a, type: number, gte: 5, lt: »5 }'],
    faults: ["No value of 'a' is possible: …"],
  },
  {
    name: 'no integer between',
    fields: ['{ name: a, type: integer, gt: 1, lt: »2 }'],
    faults: ["No value of 'a' is possible: no integer lies within its limits"],
  },
  {
    name: 'no integer between fractions',
    fields: ['{ name: a, type: integer, gte: 1.2, lte: »1.8 }'],
    faults: ["No value of 'a' is possible: …"],
  },
  {
    name: 'under their aliases',
    fields: ['{ name: a, type: integer, ge: 5, le: »3 }'],
    faults: ["No value of 'a' is possible: …"],
  },
  {
    name: 'one alias: each fault has the position of the written key',
    fields: [
      '{ name: a, type: number, gte: 5, le: »3 }',
      '{ name: b, type: number, ge: 5, lte: »3 }',
      '{ name: c, type: number, ge: 5, lt: »5 }',
    ],
    faults: ["No value of 'a' is possible: …", "No value of 'b' is possible: …", "No value of 'c' is possible: …"],
  },
  {
    name: 'several problems together',
    fields: ['{ name: a, type: string, min_length: 5, max_length: »3, choices: »[1], pattern: »"[a" }'],
    faults: [
      "No value of 'a' is possible: min_length 5 is greater than max_length 3",
      "The choices of 'a' must be text; put quotes around it (found 1)",
      "The pattern of 'a' is invalid: …",
    ],
  },
  {
    name: 'text among numbers',
    fields: ['{ name: a, type: integer, choices: »[1, two] }'],
    faults: ['The choices of \'a\' must be numbers (found "two")'],
  },
  {
    name: 'numbers among text',
    fields: ['{ name: a, type: choice, choices: »[one, 2] }'],
    faults: ["The choices of 'a' must be text; put quotes around it (found 2)"],
  },
])

faultTable('defaults that the field would refuse', [
  {
    name: 'another type',
    fields: ['{ name: a, type: integer, default: »"1" }'],
    faults: ["The default of 'a' must be an integer"],
  },
  {
    name: 'not among the choices',
    fields: ['{ name: a, type: choice, choices: [x, y], default: »z }'],
    faults: ["The default of 'a' must be one of: x, y"],
  },
  {
    name: 'a list with an item that is not a choice',
    fields: ['{ name: a, type: multichoice, choices: [x, y], default: »[x, z] }'],
    faults: ["The default of 'a' must be one of: x, y"],
  },
  {
    name: 'too short',
    fields: ['{ name: a, type: string, min_length: 3, default: »ab }'],
    faults: ["The default of 'a' must be at least 3 characters long"],
  },
  {
    name: 'a day that does not exist',
    fields: ['{ name: a, type: date, default: »2023-02-29 }'],
    faults: ["The default of 'a' must be a valid date"],
  },
  {
    name: 'does not match the pattern',
    fields: ["{ name: a, type: string, pattern: '^x', default: »y }"],
    faults: ["The default of 'a' format is invalid"],
  },
  {
    name: 'text for a boolean',
    fields: ['{ name: a, type: boolean, default: »yes }'],
    faults: ["The default of 'a' must be a boolean"],
  },
])
