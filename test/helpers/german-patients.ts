import type { ExcelCell } from './excel-workbook.ts'

/** Patients of the clinic as a German spreadsheet saves them: labels, semicolons, decimal commas, days with dots, names of related records. */
export const GERMAN_CSV = [
  'Patient number;Name;Date of birth;Sex;Phone;Weight in kg;Usual doctor;Registered on;Restricted record',
  'P-90001;Groß, Jutta;03.04.1961;Female;0301234567;71,5;Dr. Jürgen Weiß;28.11.2026;nein',
  'P-90002;Klein, Karl;31.12.1999;male;0307654321;83;;01.02.2026;ja',
  '',
].join('\r\n')

/** The same patients in a workbook; day 22374 is 3 April 1961. */
export const GERMAN_SHEET: readonly (readonly ExcelCell[])[] = [
  [
    'Patient number',
    'Name',
    'Date of birth',
    'Sex',
    'Phone',
    'Weight in kg',
    'Usual doctor',
    'Registered on',
    'Restricted record',
  ],
  ['P-90001', 'Groß, Jutta', { day: 22374 }, 'Female', '0301234567', 71.5, 'Dr. Jürgen Weiß', { day: 46354 }, 'nein'],
  [null, null, null, null, null, null, null, null, null],
  ['P-90002', 'Klein, Karl', { day: 36525 }, 'male', 307654321, 83, null, { day: 46054 }, 'ja'],
]

/** What is stored of them. */
export const GERMAN_PATIENTS = [
  {
    ...{ number: 'P-90001', name: 'Groß, Jutta', date_of_birth: '1961-04-03', sex: 'female', phone: '0301234567' },
    ...{ weight: '71.5', doctor_id: 4, registered_on: '2026-11-28', is_restricted: false },
  },
  {
    ...{ number: 'P-90002', name: 'Klein, Karl', date_of_birth: '1999-12-31', sex: 'male' },
    ...{ weight: '83', doctor_id: null, registered_on: '2026-02-01', is_restricted: true },
  },
]
