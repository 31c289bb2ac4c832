/** The exit code (default: 0) and the output (default: none) of a command. */
export interface Outcome {
  readonly code?: number
  readonly stdout?: RegExp
  readonly stderr?: RegExp
}

export interface Scenario extends Outcome {
  readonly line: string
  readonly stdin?: string
  /** Expectations that differ beside a running server. `interrupted`: the command runs until it gets SIGINT. */
  readonly served?: Outcome & { readonly interrupted?: true }
}

const REFUSED = /connect ECONNREFUSED 127\.0\.0\.1:9\n$/
const SECRET = /^whsec_[\w+/]+=*\n$/

/** Every command, run in this order in a copy of `fixtures/blog` with data. Later scenarios depend on earlier ones. */
export const SCENARIOS: readonly Scenario[] = [
  { line: '--version', stdout: /^\d+\.\d+\.\d+\n$/ },
  {
    line: 'init shop',
    stdout: /^username: admin\npassword: \S+\n$/,
    stderr: /^Created a project in shop\..*\n(?:For completion in editors, .*\n)?Next: admin serve/,
  },
  {
    line: 'users add ann --email a@example.com --password-stdin',
    stdin: 'long-enough-1\n',
    stderr: /^Added user 'ann' with ID 10\n$/,
  },
  { line: 'users passwd ann --password-stdin', stdin: 'long-enough-2\n', stderr: /^Changed the password of 'ann'\n$/ },
  { line: 'users disable ann', stderr: /^User 'ann' is disabled\n$/ },
  { line: 'users enable ann', stderr: /^User 'ann' is enabled\n$/ },
  { line: 'users grant ann view_post --group Editors', stderr: /^Granted view_post, group Editors to 'ann'\n$/ },
  { line: 'users show ann', stdout: /\nview_post +own(, Editors)?\n/ },
  { line: 'users revoke ann view_post --group Editors', stderr: /^Revoked view_post, group Editors from 'ann'\n$/ },
  { line: 'users sessions ann', stdout: /^ID +CREATED +LAST USED +ADDRESS +USER AGENT\n/ },
  { line: 'users log ann', stdout: /^AT +USER +EVENT +COUNT +METHOD +ADDRESS +USER AGENT\n/ },
  {
    line: 'users reset-password ann',
    stdout: /\/admin\/reset-password#token=[\w-]{43}\n$/,
    stderr: /^The link is good once, until \S+\n$/,
  },
  { line: 'users verify-email ann', stderr: /^The address \S+ of 'ann' is verified\n$/ },
  {
    line: 'users invite new@example.com',
    stdout: /\/admin\/accept-invitation#token=[\w-]{43}\n$/,
    stderr: /^The link is good once, until \S+\n$/,
  },
  { line: 'users sessions ann --end', stderr: /^Ended \d+ sessions? of 'ann'\n$/ },
  { line: 'users reset-2fa ann', stderr: /^'ann' has no second factor\n$/ },
  {
    line: 'keys add ci --user ann --scopes read',
    stdout: /^adm_\w+\n$/,
    stderr: /^Added key 1 of 'ann', which expires at \S+; it is not shown again\n$/,
  },
  {
    line: 'keys list --user ann',
    stdout: /^ID +NAME +OWNER +KEY +SCOPES +EXPIRES +LAST USED\n1 +ci +ann +adm_\S+ +read +\S+ +-\n$/,
  },
  { line: 'keys revoke 1', stderr: /^Revoked key 1 \('ci'\) of 'ann'\n$/ },
  { line: 'users list', stdout: /^ID +USERNAME +EMAIL +ACTIVE +SUPERUSER\n.*\n10 +ann +a@example\.com/s },
  { line: 'token', stdout: /^[\w-]+\.[\w-]+\.[\w-]+\n$/ },
  // Its agent has left already.
  { line: 'mcp --read-only --models tag', stdout: /^$/, stderr: /^$/ },
  { line: 'webhooks add http://127.0.0.1:9/hooks --models tag', stdout: SECRET, stderr: /^Added webhook 1\./ },
  { line: 'webhooks list', stdout: /^ID +ACTIVE.*\n1 +yes +create,update,delete +tag +0 +http:\/\/127\.0\.0\.1:9\/hooks\n$/ },
  { line: 'webhooks disable 1', stderr: /^Webhook 1 is disabled\n$/ },
  { line: 'webhooks enable 1', stderr: /^Webhook 1 is enabled\n$/ },
  { line: 'webhooks rotate 1', stdout: SECRET, stderr: /^Rotated the secret of webhook 1;/ },
  { line: 'webhooks test 1', code: 1, stdout: /^ID +WEBHOOK.*\n1 +1 +test webhook +failed +1/, stderr: REFUSED },
  { line: 'webhooks deliveries 1', stdout: /^ID +WEBHOOK.*\n1 +1 +test webhook +failed +1/ },
  {
    line: 'webhooks redeliver 1',
    stderr: /^Delivery 1 is queued; the next server, or `admin webhooks drain`, sends it\n$/,
    served: { stderr: /^Delivery 1 is queued\n$/ },
  },
  { line: 'webhooks drain --timeout 1', code: 1, stderr: /error delivery 1 to webhook 1 \(test webhook\)/ },
  {
    line: 'webhooks listen',
    code: 1,
    stderr: /^error No server is running to send deliveries; start one: admin serve\n$/,
    served: { stderr: /^Receiving as webhook 2, signed with whsec_/, interrupted: true },
  },
  { line: 'webhooks remove 1', stderr: /^Removed webhook 1\n$/ },
  { line: 'webhooks drain', stderr: /^No delivery is pending\n$/ },
  { line: 'import tag - --format csv', stdin: 'name,slug\nReef,reef\n', stderr: /^Imported 1 record\n$/ },
  { line: 'import tag - --format csv', code: 1, stdin: 'name,slug\nReef,reef\n', stderr: /name must be unique/ },
  { line: 'export tag --filters slug=reef --fields name', stdout: /^id,name\r\n13,Reef\r\n$/ },
  { line: 'export tag --labels --fields name --format xlsx -o tags.xlsx', stderr: /^Wrote tags\.xlsx\n$/ },
  { line: 'export --all -o all --force', stderr: /^Wrote 46 records to all\/post\.csv\n/m },
  {
    line: 'export tag --files',
    code: 2,
    stderr: /^error --files writes files beside the records; name a file or a folder with -o\n/,
  },
  {
    line: 'upload tag name admin.config.yaml',
    code: 1,
    stderr: /^error 'name' is no field of files of tag; tag has no fields of files\n$/,
  },
  {
    line: 'download tag 13 name -o x',
    code: 1,
    stderr: /^error 'name' is no field of files of tag; tag has no fields of files\n$/,
  },
  { line: 'files list', stdout: /^MODEL +RECORD +FIELD +STATE +SIZE +NAME\n/ },
  { line: 'files check', stdout: /^\d+ files?, .* free\n$/ },
  { line: 'files gc --dry-run', stdout: /^Would remove 0 contents of 0 bytes, 0 expired uploads, 0 released files\n$/ },
  { line: 'export nothing', code: 1, stderr: /^error There is no model 'nothing' \(known: .*\)\n$/ },
  { line: 'mock tag --count 2 --seed 1', stderr: /^Created 2 tag records\nThe seed was 1\n$/ },
  { line: 'recompute tag', code: 1, stderr: /^error Hooks compute no field of Tag\n$/ },
  { line: 'search tag reef', stdout: /^13 +Reef\n +slug: reef\n$/, stderr: /^1 record found\n$/ },
  { line: 'history tag 13', stdout: /13 +create +- +import +name: null → "Reef", slug: null → "reef"$/m },
  { line: 'run scripts/none.ts', code: 2, stderr: /scripts\/none\.ts/ },
  // The blog has no jobs.
  ...['list', 'run receipt', 'retry 1', 'drain'].map((line) => ({ line: `jobs ${line}`, code: 1, stderr: /^error .*jobs/ })),
  { line: 'mail', stdout: /^NUMBER +AT +TO +SUBJECT\n$/ },
  { line: 'mail last', code: 1, stderr: /^error No mail was kept\n$/ },
  { line: 'action tag publish 13', code: 1, stderr: /^error Tag has no action 'publish'/ },
  { line: 'restore tag 13', code: 1, stderr: /^error Tag with ID 13 exists\n$/ },
  {
    line: 'events --models tag',
    code: 1,
    stderr: /^error No server is running to report changes; start one: admin serve\n$/,
    served: { stderr: /^Waiting for changes; stop with Ctrl-C\n$/, interrupted: true },
  },
  { line: 'lint --format json', stdout: /"findings": \[\]/ },
  { line: 'generate view tag --list', stdout: /^name: TagList2\n/ },
  { line: 'openapi', stdout: /^\{\n {2}"openapi": "3\.1\.0"/ },
  { line: 'types', stdout: /^\/\/ Made by `admin types`.*\nexport /s },
  { line: 'completion bash', stdout: /^_admin_complete/ },
  { line: 'complete -- export po', stdout: /^post\t\n$/ },
  {
    line: 'migrate --plan',
    code: 2,
    stderr: /^error The project keeps its records in files, which need no migration; set `store`/,
  },
  {
    line: 'doctor',
    stdout: /^ok {4}node {5}\d.*^The data is intact\.\n$/ms,
    served: { stdout: /^ok {4}lock {5}process \d+ since/m },
  },
  {
    line: 'compact',
    stdout: /^Before: db\.json \d+ bytes, journal 0 bytes\nAfter: {2}db\.json/,
    served: { code: 1, stderr: /^error The data folder is in use by process \d+ .*; stop that process/ },
  },
  { line: 'snapshot save first', stderr: /^Saved 'first' \(\d+ bytes\)\n$/ },
  { line: 'snapshot list', stdout: /^NAME +BYTES +SAVED\nfirst +\d+ / },
  { line: 'snapshot load first --yes', stderr: /^Loaded 'first' \(\d+ bytes\)\n$/ },
  { line: 'snapshot remove first', stderr: /^Removed 'first' \(\d+ bytes\)\n$/ },
  {
    line: 'reset --seed-data --yes',
    stderr:
      /^This deletes .* records and \d+ history entries; accounts stay .*\nDeleted .* history entries; created 169 seed records\n$/,
  },
  { line: 'exprot', code: 2, stderr: /^error: unknown command 'exprot'\n\(Did you mean export\?\)/ },
]
