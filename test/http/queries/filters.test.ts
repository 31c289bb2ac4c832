import assert from 'node:assert/strict'
import { groupText } from '../../../src/client/query.ts'
import { type Scenario, scenario, scenarios } from '../../helpers/api/scenario.ts'
import { ids } from '../records/expected.ts'

const query = (filters: readonly string[]) => filters.map((filter) => `filters=${encodeURIComponent(filter)}`).join('&')

/** The ids of the records, all of them, that the filters together leave. */
const found = (model: string, name: string, filters: readonly string[], expected: readonly number[]): Scenario =>
  scenario(`${name}: ${filters.join(' and ')}`, `GET /api/v1/models/${model}?page_size=100&${query(filters)}`, 200, {
    check: ({ json }) => {
      assert.deepEqual(ids(json), expected)
      assert.equal(json.total, expected.length)
    },
  })

const posts = (name: string, filters: readonly string[], expected: readonly number[]) => found('post', name, filters, expected)

scenarios('filters', [
  posts('equals a choice', ['status=draft'], [42, 43, 44, 45, 46]),
  posts('equals a number', ['rating=4.9'], [5, 12, 17, 26, 34]),
  posts('equals an integer', ['views_count=388'], [41]),
  posts('equals a boolean', ['is_featured=true'], [5, 18, 25, 26, 34]),
  posts('equals a day', ['event_date=2024-06-29'], [31]),
  posts('equals a moment, whatever its offset', ['published_at=2024-11-18T18:00:00+01:00'], [39]),
  posts('equals a whole text', ['title=Crab rolls in twelve minutes'], [32]),
  posts('equals no part of a text', ['title=Crab rolls'], []),
  posts('equals a text with an equals sign in it', ['title=a=b'], []),
  posts('equals an id', ['id=7'], [7]),
  posts('contains, in whatever case', ['title__icontains=FERRY'], [4, 34]),
  posts('contains, in whatever case of an umlaut', ['title__icontains=grÜß'], [10]),
  posts('starts with', ['title__startswith=The '], [9, 21, 23, 29, 34, 39]),
  posts('starts with, in that case alone', ['title__startswith=the '], []),
  posts('ends with', ['title__endswith=?'], [19, 42]),
  posts('does not end with what stands before', ['slug__endswith=-202'], []),
  posts('is greater', ['views_count__gt=6450'], [8, 18, 25, 33]),
  posts('is greater or equal', ['views_count__gte=6450'], [8, 18, 25, 33, 34]),
  posts('is less', ['views_count__lt=388'], [42, 43, 44, 45, 46]),
  posts('is less or equal', ['views_count__lte=388'], [41, 42, 43, 44, 45, 46]),
  posts('compares numbers as numbers', ['views_count__gt=900', 'views_count__lt=1000'], [4, 39]),
  posts('leaves nulls out of comparisons', ['rating__lt=3.6'], [39]),
  posts('compares numbers with an equal bound', ['rating__lte=3.6'], [19, 39]),
  posts('is after a moment', ['published_at__gt=2024-11-18T17:00:00Z'], [40, 41]),
  posts('is not before a moment', ['published_at__gte=2024-11-18T17:00:00Z'], [39, 40, 41]),
  posts('is before a moment', ['published_at__lt=2023-01-23T07:00:00Z'], [1]),
  posts('is on a day or later', ['event_date__gte=2024-12-01'], [41, 43]),
  posts('is before a time of day', ['publish_time__lt=06:45'], [8, 26]),
  posts('is at a time of day or before', ['publish_time__lte=06:45:00'], [5, 8, 26]),
  posts('is one of several texts', ['status__in=archived,draft'], [6, 7, 11, 15, 17, 22, 42, 43, 44, 45, 46]),
  posts('is one of several numbers', ['author_id__in=1,8'], [1, 6, 15, 17, 37]),
  posts(
    'is one of several values, one with a comma in it',
    ['title__in="Night ferry, empty deck",Crab rolls in twelve minutes'],
    [4, 32],
  ),
  posts('takes a value apart at a comma outside quotes', ['title__in=Night ferry, empty deck'], []),
  posts('is not', ['status__ne=published'], [6, 7, 11, 15, 17, 22, 42, 43, 44, 45, 46]),
  posts('is null', ['rating__isnull=true'], [7, 22, 38, 41, 42, 43, 44, 45, 46]),
  posts('is not null', ['category_id__isnull=false', 'author_id=2', 'status=draft'], [43]),
  posts('is null, for JSON', ['metadata__isnull=true'], [9, 38, 41]),
  posts('are combined with and', ['status=archived', 'author_id=2'], [7, 11, 22]),
  posts('hold twice for one field', ['rating__gte=4.2', 'rating__lte=4.3'], [10, 15, 24, 31, 36]),
  posts('equals a foreign key', ['author_id=1'], [1, 37]),
  posts('is linked to', ['tags=11'], [11, 19, 22, 31, 43]),
  posts('is linked to one of', ['tags__in=11,2'], [4, 7, 10, 11, 19, 22, 29, 31, 34, 39, 43]),
  posts('holds a choice', ['languages=fr'], [8, 13, 22, 25, 32, 41]),
  posts('goes through a foreign key', ['author__username=admin'], [1, 37]),
  posts('goes through a foreign key with an operator', ['author__username__icontains=SALT'], [6, 15, 17]),
  posts('goes through a foreign key to a boolean', ['author__is_active=false'], [6, 15, 17]),
  posts('goes through a foreign key with a list', ['category__slug__in=history,events', 'status=draft'], [42, 43]),
  posts('goes through a many-to-many', ['tags__slug=music'], [11, 19, 22, 31, 43]),
  posts('goes through a many-to-many with an operator', ['tags__name__startswith=Mus'], [11, 19, 22, 31, 43]),
  posts('finds no record through an empty relation', ['category__name__icontains=', 'id__gte=40', 'status=published'], [40]),
  found('comment', 'equals false', ['is_approved=false'], [17, 22, 27, 44, 46, 55, 71, 96, 99]),
  found('comment', 'goes through a foreign key to a number', ['post__rating__gte=4.9', 'is_approved=false'], [17]),
  found('user', 'equals an e-mail address', ['email=anna.lindqvist@example.org'], [3]),
  found('user', 'is linked to a group', ['groups__name=Moderators'], [5, 6]),
])

/** A bad filter: shape B, the details name the parameter and say what is wrong. */
const refused = (filter: string, details: RegExp): Scenario =>
  scenario(`refuses ${filter}`, `GET /api/v1/models/user?${query([filter])}`, 400, {
    expectPart: { error: 'Invalid request data', status_code: 400 },
    check: ({ json }) => {
      assert.deepEqual(Object.keys(json.details), ['filters'])
      assert.match(JSON.stringify(json.details), details)
    },
  })

scenarios('filters that cannot be', [
  refused('usernme=ann', /'username'/),
  refused('username__icontain=ann', /__icontain'.*icontains/),
  refused('username__like=ann', /__like/),
  refused('username', /username/),
  refused('=ann', /=ann/),
  refused('is_active=yes', /is_active.*yes/),
  refused('is_active=1', /is_active/),
  refused('id=one', /id.*integer.*one/),
  refused('id=1.5', /id/),
  refused('id__in=1,two', /id.*two/),
  refused('id__gt=', /id/),
  refused('birth_date=last year', /birth_date.*date/),
  refused('birth_date__gt=2024-02-30', /birth_date.*2024-02-30/),
  refused('last_login__lt=noon', /last_login.*noon/),
  refused('username__isnull=maybe', /isnull.*maybe/),
  refused('username__in="anna.lind', /quote/),
  refused('groups=Moderators', /groups/),
  refused('groups__nmae=Moderators', /'name'/),
  refused('groups__permissions__codenam=view_post', /'codename'/),
  refused('password=harbour-admin-2024', /password/),
  refused('password__startswith=$', /password/),
  refused('password__isnull=false', /password/),
])

scenarios('filters through a relation', [
  scenario('do not reach its password', `GET /api/v1/models/post?${query(['author__password__startswith=$quick$'])}`, 400, {
    expectPart: { error: 'Invalid request data' },
  }),
  scenario(
    'cannot pass through three relations',
    `GET /api/v1/models/comment?${query(['post__author__groups__name=Editors'])}`,
    400,
    { expectPart: { error: 'Invalid request data' } },
  ),
  scenario('name the nearest field of the other model', `GET /api/v1/models/post?${query(['author__usernam=ann'])}`, 400, {
    check: ({ json }) => assert.match(JSON.stringify(json.details), /'username'/),
  }),
  scenario(
    'are refused together with every other that is wrong',
    `GET /api/v1/models/post?${query(['author__usernam=ann', 'ratng=4'])}`,
    400,
    {
      check: ({ json }) => {
        assert.match(JSON.stringify(json.details), /'username'/)
        assert.match(JSON.stringify(json.details), /'rating'/)
      },
    },
  ),
])

const PEOPLE = {
  files: {
    'models/person.yaml':
      'name: Person\nfields:\n  - { name: name, type: string, required: true }\n  - { name: path, type: string }\n',
    'seed/user.yaml': '- { username: admin, email: admin@example.org, password: harbour-admin-2024, is_superuser: true }\n',
    'seed/person.yaml': [
      '- { name: "ΚΩΣΤΑΣ", path: "C:\\\\" }',
      '- { name: "Κώστας", path: "" }',
      '- { name: "κωσ" }',
      '- { name: "ΚΩΣ ΚΩΣ", path: "a|b" }',
      '- { name: "Kos" }',
    ].join('\n'),
  },
}

scenarios(
  'filters of Greek text',
  PEOPLE,
  ['κωσ', 'κως', 'ΚΩΣ', 'Κως'].map((part) =>
    found('person', 'σ, ς and Σ are one letter', [`name__icontains=${part}`], [1, 3, 4]),
  ),
)

scenarios('groups of filters on backslashes and bars', PEOPLE, [
  scenario(
    'as the client writes them',
    `GET /api/v1/models/person?any=${encodeURIComponent(groupText(['path=C:\\', 'path=a|b']))}`,
    200,
    { check: ({ json }) => assert.deepEqual(ids(json), [1, 4]) },
  ),
])
