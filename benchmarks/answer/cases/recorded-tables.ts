import { X509Certificate } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { recordCommand, REPOSITORY, withCommit } from './recorded-outputs.ts'
import { readRows, type Table } from './table-cases.ts'

type Row = Readonly<Record<string, string | number | undefined>>

/** Files and commands of a Linux machine with tables. If a file has no header, a command adds one. */
const SEPARATED: readonly (readonly [group: string, command: string])[] = [
  ['tzdata', "sed 's/^#codes/codes/; /^#/d' /usr/share/zoneinfo/zone1970.tab"],
  [
    'shared-mime-info',
    String.raw`printf 'weight\ttype\tpattern\n'; sed -nE 's/^([0-9]+):([^:]+):([^:]+)$/\1\t\2\t\3/p' /usr/share/mime/globs2`,
  ],
  [
    'media-types',
    String.raw`printf 'type\tsubtype\textensions\n'; sed -nE 's/^([a-z]+)\/([^\t]+)\t+([^\t]+)$/\1\t\2\t\3/p' /etc/mime.types`,
  ],
  [
    'postgresql',
    String.raw`printf 'feature_id\tfeature_name\tsub_feature_id\tsub_feature_name\tis_supported\tcomments\n'; cat /usr/share/postgresql/*/sql_features.txt`,
  ],
  [
    'dpkg',
    "printf 'package\\tversion\\tarchitecture\\tsection\\tpriority\\tinstalled_size\\n'; dpkg-query -W -f='${Package}\\t${Version}\\t${Architecture}\\t${Section}\\t${Priority}\\t${Installed-Size}\\n'",
  ],
  [
    'git log',
    String.raw`printf 'commit\tparents\tdate\tweekday\thour\tsubject\n'; git log --date=format:'%F%t%a%t%H' --format='%h%x09%p%x09%ad%x09%s' COMMIT`,
  ],
  [
    'git ls-tree',
    String.raw`printf 'mode\ttype\tobject\tsize\tpath\n'; git ls-tree -r -l COMMIT packages/adapters | sed -E 's/ +/\t/g'`,
  ],
]
const ISO_CODES = ['3166-1', '3166-2', '639-2', '639-3', '15924']

/** Return tables from outside of the data: from this machine, from installed packages, and from Node.js. */
export function recordedTables(): readonly Table[] {
  return [
    ...SEPARATED.flatMap(([group, command]) => separatedTable(group, recordCommand(withCommit(command), REPOSITORY))),
    ...ISO_CODES.flatMap((code) => tableOf('iso-codes', isoCodes(code), code)),
    ...tableOf('installed packages', installedPackages()),
    ...tableOf('root certificates', rootCertificates.map(describeCertificate)),
    ...tableOf('V8 options', v8Options()),
    ...tableOf('time zones', Intl.supportedValuesOf('timeZone').map(describeZone)),
    ...tableOf('currencies', Intl.supportedValuesOf('currency').map(describeCurrency)),
    ...tableOf(
      'characters',
      Array.from({ length: 0x510 }, (_, index) => describeCharacter(index + 0x20)),
    ),
  ]
}

function separatedTable(group: string, text: string): readonly Table[] {
  const contentType = text.slice(0, text.indexOf('\n')).includes('\t') ? 'text/tab-separated-values' : 'text/csv'
  const [columns = [], ...rows] = readRows(text, contentType === 'text/csv' ? ',' : '\t')
  const fitting = rows.filter(({ length }) => length === columns.length)
  return fitting.length === 0 ? [] : [{ id: group, group, origin: 'unseen', text, contentType, columns, rows: fitting }]
}

/** Write records as a CSV table. */
export function tableOf(group: string, records: readonly Row[], part?: string): readonly Table[] {
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const rows = records.map((record) => columns.map((column) => String(record[column] ?? '')))
  const text = `${[columns, ...rows].map((row) => row.map(quoted).join(',')).join('\n')}\n`
  const id = part === undefined ? group : `${group} ${part}`
  return rows.length === 0 ? [] : [{ id, group, origin: 'unseen', text, contentType: 'text/csv', columns, rows }]
}

function isoCodes(code: string): readonly Row[] {
  const path = `/usr/share/iso-codes/json/iso_${code}.json`
  if (!existsSync(path)) return []
  return (JSON.parse(readFileSync(path, 'utf8')) as Readonly<Record<string, readonly Row[]>>)[code] ?? []
}

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly license?: unknown
  readonly type?: string
  readonly dependencies?: object
}

function installedPackages(): readonly Row[] {
  const store = join(REPOSITORY, 'node_modules/.pnpm')
  return readdirSync(store).flatMap((folder) => {
    const name = /^(@[^+]+\+)?[^@]+/.exec(folder)?.[0].replace('+', '/') ?? ''
    const path = join(store, folder, 'node_modules', name, 'package.json')
    if (!existsSync(path)) return []
    const {
      version,
      license,
      type = 'commonjs',
      dependencies = {},
    } = JSON.parse(readFileSync(path, 'utf8')) as Manifest
    return [{ name, version, license: String(license), type, dependencies: Object.keys(dependencies).length }]
  })
}

function describeCertificate(pem: string): Row {
  const { subject, validFrom, validTo, serialNumber, publicKey } = new X509Certificate(pem)
  const part = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(subject)?.[1] ?? ''
  const key = publicKey.asymmetricKeyType
  return { name: part('CN'), organization: part('O'), country: part('C'), validFrom, validTo, serialNumber, key }
}

function v8Options(): readonly Row[] {
  const text = recordCommand(`${process.execPath} --v8-options`, REPOSITORY)
  const option = /^ {2}--([\w-]+) \((.*)\)\n\s+type: (\S+) {2}default: (.*)$/gm
  return [...text.matchAll(option)].map(([, name, meaning, type, preset]) => ({ name, type, preset, meaning }))
}

function describeZone(timeZone: string): Row {
  const named = (date: string, timeZoneName: 'long' | 'longOffset'): string =>
    new Intl.DateTimeFormat('en', { timeZone, timeZoneName }).format(new Date(date)).split(', ').at(-1) ?? ''
  const [january, july] = ['2026-01-01', '2026-07-01'] as const
  const [region] = timeZone.split('/')
  const offsets = { january: named(january, 'longOffset'), july: named(july, 'longOffset') }
  return { zone: timeZone, region, name: named(january, 'long'), ...offsets }
}

function describeCurrency(currency: string): Row {
  const name = (language: string) => new Intl.DisplayNames(language, { type: 'currency' }).of(currency)
  const digits = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits
  return {
    code: currency,
    name: name('en'),
    german: name('de'),
    spanish: name('es'),
    french: name('fr'),
    italian: name('it'),
    digits,
  }
}

const CATEGORIES = 'Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Cc Cf Cn'.split(' ')
const SCRIPTS = ['Latin', 'Greek', 'Cyrillic', 'Coptic', 'Common', 'Inherited', 'Bopomofo']

function describeCharacter(code: number): Row {
  const character = String.fromCodePoint(code)
  const oneOf = (names: readonly string[], property: string): string =>
    names.find((name) => new RegExp(`\\p{${property}=${name}}`, 'u').test(character)) ?? ''
  const point = (text: string): string => `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  const [category, script] = [oneOf(CATEGORIES, 'General_Category'), oneOf(SCRIPTS, 'Script')]
  return { code: point(character), category, script, upper: point(character.toUpperCase()), utf8: encodeURI(character) }
}

const quoted = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
