import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, extname, join, resolve } from 'node:path'
import type { ContentBlock } from '@spillway/core'
import {
  installedCodeCases,
  installedDocuments,
  installedTables,
} from '../../benchmarks/answer/cases/installed-files.ts'
import { SeededRandom } from '../../benchmarks/answer/seeded-random.ts'
import { loadCases } from '../../benchmarks/preview/lib/cases.mjs'

/** A tool result for a record. */
export interface Input {
  /** Name of the input: its path in the data. The first segment is its group. */
  readonly path: string
  readonly toolName: string
  readonly toolInput?: unknown
  readonly block: ContentBlock
}

const TEXT_TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.json': 'application/json',
  '.tsv': 'text/tab-separated-values',
}
const MEDIA: Readonly<Record<string, { readonly type: 'document' | 'image'; readonly mediaType: string }>> = {
  '.jpg': { type: 'image', mediaType: 'image/jpeg' },
  '.pdf': { type: 'document', mediaType: 'application/pdf' },
}

/** Read every file of a folder. JSON is read twice: as text, and as a JSON block. */
export function* readFolder(folder: string, group = ''): Generator<Input> {
  const files = globSync('**', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((file) => join(file.parentPath, file.name).slice(resolve(folder).length + 1))
  for (const path of paths.toSorted()) {
    const bytes = readFileSync(join(folder, path))
    const media = MEDIA[extname(path)]
    const input = { path: group + path, ...callOf(path) }
    if (media !== undefined) {
      yield { ...input, block: { ...media, data: new Uint8Array(bytes) } }
      continue
    }
    const text = bytes.toString()
    const mediaType = TEXT_TYPES[extname(path)]
    yield { ...input, block: { type: 'text', text, mediaType } }
    if (extname(path) !== '.json') continue
    const value = parsed(text)
    if (value !== undefined) yield { ...input, path: `${input.path}.block`, block: { type: 'json', value } }
  }
}

/** Return tool results in the recorded sessions of the data. */
export function readSessions(data: string): readonly Input[] {
  const folders = [data, join(data, 'more')].filter((folder) => existsSync(join(folder, 'transcripts')))
  const cases = folders.flatMap((folder) => loadCases(folder, ['transcripts']) as readonly SessionResult[])
  return cases.map(({ id, text, toolName, toolInput }) => ({
    path: `sessions/${id.replaceAll(/[^\w./#-]/g, '_')}`,
    toolName,
    toolInput,
    block: { type: 'text', text },
  }))
}

/** Return files of packages that the lockfile installs. */
export function readInstalled(): readonly Input[] {
  const code = installedCodeCases(new SeededRandom(1)).flatMap(({ results }) => results)
  return [
    // A file name with several extensions may begin like another file name.
    ...[...installedDocuments(), ...installedTables()].map(({ id, text }): Input => ({
      path: `installed/documents/${id.replaceAll('/', ' ')}`,
      ...callOf(id),
      block: { type: 'text', text, mediaType: TEXT_TYPES[extname(id)] },
    })),
    ...code.map(({ text, toolName, toolInput }): Input => ({
      path: `installed/code/${(toolInput as { readonly path: string }).path}`,
      toolName,
      toolInput,
      block: { type: 'text', text },
    })),
  ]
}

interface SessionResult {
  readonly id: string
  readonly text: string
  readonly toolName: string
  readonly toolInput?: unknown
}

/** Return the call that a file of this folder could be a result of. File names of the data are `<source>__<name>`. */
function callOf(path: string): Pick<Input, 'toolName' | 'toolInput'> {
  const name = basename(path).replace(/^.*?__/, '')
  const folder = /^(?:more\/)?([^/]+)/.exec(path)?.[1]
  switch (folder) {
    case 'logs':
    case 'made':
      return { toolName: 'bash' }
    case 'commands':
      return { toolName: 'bash', toolInput: { command: name.replace(/\.txt$/, '') } }
    case 'html':
      return { toolName: 'web_fetch', toolInput: { url: `https://example.com/${name}` } }
    case 'json':
      return { toolName: 'http_get' }
    case 'sql':
      return { toolName: 'sql_query' }
    default:
      return { toolName: 'read_file', toolInput: { path: name } }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    // Some files look like JSON but are not: they are recorded as text.
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
