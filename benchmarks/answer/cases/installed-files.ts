import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SeededRandom } from '../seeded-random.ts'
import type { AnswerCase } from '../answer-case.ts'
import { MIN_CHARACTERS, placeCase } from './case-parts.ts'
import type { JsonDocument } from './json-cases.ts'
import { tableOf } from './recorded-tables.ts'
import type { Table } from './table-cases.ts'

const STORE = fileURLToPath(new URL('../../../node_modules/.pnpm', import.meta.url))
const MOST_CHARACTERS = 2_000_000

/** Documents of packages that the lockfile installs: real, the same on all machines, and not used for writing rules. */
const JSON_FILES = [
  'mime-db db.json',
  'node-releases data/processed/envs.json',
  '@babel/compat-data data/plugins.json',
  '@google-cloud/firestore build/protos/admin_v1.json',
  'google-gax build/protos/iam_service.json',
  'protobufjs google/protobuf/descriptor.json',
  '@mastra/core dist/provider-registry.json',
  'emojilib emojis.json',
  'jsonpath-rfc9535 src/__tests__/jsonpath-compliance-test-suite/cts.json',
  'oxfmt configuration_schema.json',
  '@tree-sitter-grammars/tree-sitter-lua src/node-types.json',
  '@seriousme/openapi-schema-validator schemas/v2.0/schema.json',
  '@ioredis/commands built/commands.json',
  'mime types.json',
] as const

const SOURCE_FILES = [
  'openai src/lib/AbstractChatCompletionRunner.ts',
  'openai src/client.ts',
  '@nodable/entities src/EntityDecoder.js',
  'fast-xml-parser src/xmlparser/OrderedObjParser.js',
  '@sap/xssec src/service/Service.js',
  '@google-cloud/storage build/esm/src/acl.js',
  '@genkit-ai/core src/action.ts',
  '@genkit-ai/ai src/agent.ts',
  '@ai-sdk/anthropic src/anthropic-messages-api.ts',
  'posthog-node src/extensions/error-tracking/autocapture.ts',
  'oxc-parser src-js/bindings.js',
  '@grpc/grpc-js src/channelz.ts',
  'ai src/ui/chat.ts',
  'zod src/v4/core/compile.ts',
  'zod src/v4/core/checks.ts',
] as const

interface Installed {
  readonly id: string
  readonly group: string
  readonly origin: 'unseen'
  readonly text: string
}

/** JSON documents of installed packages. */
export const installedDocuments = (): readonly JsonDocument[] => JSON_FILES.flatMap(readInstalled)

/** The records of these documents as tables, if there are at least a hundred records with three columns. */
export function installedTables(): readonly Table[] {
  return installedDocuments().flatMap(({ group, text }) => {
    const records = recordsOf(JSON.parse(text))
    const columns = [...new Set(records.flatMap((record) => Object.keys(record)))].filter(
      (column) => records.filter((record) => isCell(record[column])).length > records.length / 2,
    )
    if (records.length < 100 || columns.length < 3) return []
    const cell = (value: unknown): string => (isCell(value) ? String(value) : '')
    const rows = records.map((record) => Object.fromEntries(columns.map((column) => [column, cell(record[column])])))
    return tableOf(group, rows)
  })
}

/** Questions about the definition of one function or class in an installed source file. */
export function installedCodeCases(random: SeededRandom): readonly AnswerCase[] {
  return SOURCE_FILES.flatMap(readInstalled).flatMap(({ id, group, origin, text }) => {
    const lines = text.split('\n')
    const names = lines.flatMap((line, index) => {
      const name = /^\s*(?:export )?(?:default )?(?:async )?(?:function\*?|class) (\w{4,})/.exec(line)?.[1]
      return name === undefined ? [] : [{ name, line: index + 1 }]
    })
    const once = names.filter(({ name }) => names.filter((other) => other.name === name).length === 1)
    if (text.length < MIN_CHARACTERS || once.length === 0) return []
    const { name, line } = random.of(id).pick(once)
    const asks = { form: 'word', word: name } as const
    const results = [{ text, contentType: 'text/plain', toolName: 'read_file', toolInput: { path: id } }]
    const question = `On which line is ${name} defined?`
    const draft = { id: `${id}#code-symbol`, kind: 'code-symbol', group, origin, results, question, asks } as const
    return [placeCase({ ...draft, lines: [[[line, line]]] }, name, line)]
  })
}

/** Read `package file` from the first installed version. Empty if it is not installed or too large. */
function readInstalled(name: string): readonly Installed[] {
  const [packageName = '', file = ''] = name.split(' ')
  const prefix = `${packageName.replace('/', '+')}@`
  const folder = readdirSync(STORE).find((entry) => entry.startsWith(prefix))
  if (folder === undefined) return []
  const path = join(STORE, folder, 'node_modules', packageName, file)
  if (!existsSync(path)) return []
  const text = readFileSync(path, 'utf8')
  if (text.length > MOST_CHARACTERS) return []
  return [{ id: `${packageName}/${file}`, group: packageName, origin: 'unseen', text }]
}

type Record_ = Readonly<Record<string, unknown>>

/** Return the longest list of objects in a document, or the objects of its largest map with their keys. */
function recordsOf(value: unknown): readonly Record_[] {
  if (typeof value !== 'object' || value === null) return []
  const children = Object.values(value)
  const objects = Object.entries(value).filter((entry): entry is [string, Record_] => isObject(entry[1]))
  const own =
    objects.length < children.length / 2
      ? []
      : objects.map(([name, record]) => (Array.isArray(value) ? record : { name, ...record }))
  return [own, ...children.map(recordsOf)].reduce((best, one) => (one.length > best.length ? one : best), [])
}

const isObject = (value: unknown): value is Record_ =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isCell = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
