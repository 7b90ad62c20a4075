import { StorageError } from '@spillway/core'
import { isTextContentType } from '@spillway/core/adapter'
import { readStoredLines, PatternSearch, type MatchingLine } from '@spillway/core/files'
import { z } from 'zod'
import { HttpError } from '../app/http-error.ts'
import { virtualPath, type FileRecord, joinAsWritten, pathWithin } from '../files/file-record.ts'
import type { ScopeFiles } from '../files/scope-files.ts'
import { defineRoute, type Route } from '../routes/route.ts'
import { remeAnswerSchema, textAnswer } from './schemas.ts'
import { fileGlob } from '../files/file-glob.ts'

/** The largest offset that can be added to line numbers exactly. */
const MAX_OFFSET = Number.MAX_SAFE_INTEGER - 1

export const readFileRoute: Route = defineRoute({
  method: 'post',
  path: '/read_file',
  operationId: 'read_file',
  summary: 'Read a virtual file, or lines of it',
  description:
    'The answer contains only the content, so pages joined by line feeds give the file; `metadata` has the numbers of ' +
    'the lines. Without `limit` everything from `offset` on is read.',
  tag: 'ReMe',
  isReme: true,
  body: z
    .looseObject({
      absolute_path: z.string().min(1).meta({ description: 'Relative to the workspace, or absolute.' }),
      offset: z.number().nullish().meta({ description: 'The first line, from 0.' }),
      limit: z.number().nullish().meta({ description: 'Maximum number of lines.' }),
    })
    .meta({ id: 'ReadFileRequest' }),
  responses: { 200: { description: 'The content.', schema: remeAnswerSchema } },
  failureStatuses: {
    400: 'The path cannot name a virtual file.',
    404: 'There is no such file in the scope.',
    416: 'The offset is beyond the end.',
  },
  async handle({ body }, { tenant, signal, maxBytes, reserve }) {
    const { absolute_path: written, offset, limit } = body
    const first = Math.min(Math.trunc(offset ?? 0), MAX_OFFSET)
    const count = limit == null ? Infinity : Math.trunc(limit)
    if (!(first >= 0)) throw new HttpError('invalid-request', 'Offset must be a non-negative number.')
    if (!(count >= 1)) throw new HttpError('invalid-request', 'Limit must be a positive number.')
    const { files } = tenant()
    const path = virtualPath(written)
    for (const candidate of [path, asWrittenInReMe(path)]) {
      const file = await files.find(candidate)
      if (file === undefined) continue
      const page = await files.use(file, () =>
        readPage(files, file, { first, count, maxBytes, signal, beforeRead: reserve }),
      )
      if (page !== undefined) return { json: page }
    }
    throw new StorageError('not-found', `Failed to read file "${written}": File not found. Find files with grep.`)
  },
})

interface PageOptions {
  readonly first: number
  readonly count: number
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly beforeRead: (bytes: number) => void
}

async function readPage(files: ScopeFiles, file: FileRecord, { first, count, ...reading }: PageOptions) {
  if (!isTextContentType(file.contentType))
    throw new HttpError(
      'unsupported-media-type',
      `The file is ${file.contentType}: read it under /v1/entries/${file.reference}/content.`,
    )
  const last = first + count
  const range = { start: first + 1, end: Number.isSafeInteger(last) ? last : Infinity }
  const { text, lines, totalLines, goesOn } = await readStoredLines(files.storage, file.reference, range, reading)
  if (lines === undefined && totalLines !== undefined && first > totalLines)
    throw new HttpError('range-not-satisfiable', `Offset ${first} is beyond file length (${totalLines} lines).`)
  return textAnswer(text, {
    reference: file.reference,
    total_lines: totalLines,
    ...(lines !== undefined && { start_line: lines.start - 1, end_line: lines.end - 1 }),
    ...(goesOn && lines !== undefined && { next_offset: lines.end }),
  })
}

/** Convert a file name: ReMe's documents use both `tool_call_123.txt` and `tool_call_call_123.txt` for `call_123`. */
function asWrittenInReMe(path: string): string {
  return path.replace(/(^|\/)tool_call_(?=[^/]*$)/, '$1tool_call_call_')
}

const MAX_ANSWER_LENGTH = 1_048_576

interface FileMatches {
  readonly name: string
  readonly lines: readonly MatchingLine[]
}

export const grepRoute: Route = defineRoute({
  method: 'post',
  path: '/grep',
  operationId: 'grep',
  summary: 'Find lines in virtual files',
  description:
    'Searches only the virtual files of the scope, and ignores case. After `File:` comes the path of a ' +
    'file, relative to the searched folder; `metadata.matches` has whole paths.',
  tag: 'ReMe',
  isReme: true,
  body: z
    .looseObject({
      pattern: z
        .string()
        .min(1)
        .meta({ description: 'A regular expression. An invalid expression is searched as literal text.' }),
      path: z
        .string()
        .nullish()
        .meta({ description: 'A folder, relative or absolute. Defaults to the whole workspace.' }),
      glob: z.string().nullish().meta({ description: 'For example `*.txt` or `compressed_*.{json,txt}`.' }),
      limit: z
        .number()
        .nullish()
        .meta({ description: 'Maximum number of matching lines. Defaults to as many as fit.' }),
    })
    .meta({ id: 'GrepRequest' }),
  responses: { 200: { description: 'Matching lines as text.', schema: remeAnswerSchema } },
  failureStatuses: { 400: 'The path or the glob cannot name virtual files.' },
  async handle({ body }, { tenant, signal, pause }) {
    const { pattern, path, glob, limit } = body
    const most = limit == null ? Infinity : Math.trunc(limit)
    if (!(most >= 1)) throw new HttpError('invalid-request', 'Limit must be a positive number.')
    const folder = virtualPath(path ?? '')
    const matchesGlob = glob == null || glob === '' ? undefined : fileGlob(glob)
    const { files } = tenant()
    const search = new PatternSearch(pattern, { ignoreCase: true })
    const all = await listFolder(files, folder)
    const chosen = all.filter((file) => matchesGlob?.(nameIn(folder, file)) !== false)
    const limits = { limit: most, maxLength: MAX_ANSWER_LENGTH, signal, pause }
    const { found: searched, isComplete } = await files.search(chosen, search, limits)
    const found = searched.map(({ file, lines }) => ({ name: nameIn(folder, file), lines }))
    const where = path == null || path === '' ? 'in the workspace directory' : `in path "${path}"`
    const filter = matchesGlob === undefined ? '' : ` (filter: "${glob}")`
    const matches = found.map(({ name }) => joinAsWritten(path ?? '', name))
    const note = {
      ...(search.problem !== undefined && { searched_literally: search.problem }),
      truncated: !isComplete,
    }
    return { json: textAnswer(grepText(found, `for pattern "${pattern}" ${where}${filter}`), { matches, ...note }) }
  },
})

/** @throws HttpError `invalid-path` if the folder is a file. */
async function listFolder(files: ScopeFiles, folder: string): Promise<readonly FileRecord[]> {
  const all = await files.list()
  const named = folder === '' ? undefined : all.find(({ path }) => path === folder)
  if (named !== undefined && (await files.exists(named)))
    throw new HttpError(
      'invalid-path',
      'Search path is not a directory: pass its folder as path, and its name as glob.',
    )
  return all.filter(({ path }) => pathWithin(path, folder) !== undefined)
}

const nameIn = (folder: string, { path }: FileRecord): string => pathWithin(path, folder) ?? path

function grepText(found: readonly FileMatches[], what: string): string {
  const count = found.reduce((sum, { lines }) => sum + lines.length, 0)
  if (count === 0) return `No matches found ${what}.`
  const rows = [`Found ${count} ${count === 1 ? 'match' : 'matches'} ${what}:`, '---']
  for (const { name, lines } of found) {
    rows.push(`File: ${name}`)
    for (const { line, text } of lines) rows.push(`L${line}: ${text.trim()}`)
    rows.push('---')
  }
  return rows.join('\n')
}
