import { isTextContentType } from '@spillway/core/adapter'
import { PatternSearch, type MatchingLine } from '@spillway/core/files'
import { z } from 'zod'
import { HttpError } from '../app/http-error.ts'
import { fileGlob } from '../files/file-glob.ts'
import { joinAsWritten, pathWithin, virtualPath, type FileRecord } from '../files/file-record.ts'
import type { ScopeFiles } from '../files/scope-files.ts'
import { defineRoute, type Route, type RouteContext } from '../routes/route.ts'
import { remeAnswerSchema, textAnswer } from './schemas.ts'

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
    'Searches only the virtual files of the scope, and ignores upper and lower case. After `File:` comes the path of a ' +
    'file, relative to the searched folder; `metadata.matches` has whole paths.',
  tag: 'ReMe',
  isReme: true,
  body: z
    .looseObject({
      pattern: z.string().min(1).meta({ description: 'A regular expression. An invalid one is searched literally.' }),
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
    const options = { folder, glob: matchesGlob, limit: most, signal, pause }
    const { found, isComplete } = await grepFiles(files, search, options)
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

interface GrepOptions {
  readonly folder: string
  readonly glob: ((path: string) => boolean) | undefined
  readonly limit: number
  readonly signal: AbortSignal
  readonly pause: RouteContext['pause']
}

/** @throws HttpError `invalid-path` if the folder is a file. */
async function grepFiles(
  files: ScopeFiles,
  search: PatternSearch,
  { folder, glob, limit, ...how }: GrepOptions,
): Promise<{ readonly found: readonly FileMatches[]; readonly isComplete: boolean }> {
  const found: FileMatches[] = []
  let left = limit
  let length = 0
  let isComplete = true
  const all = await files.list()
  const named = folder === '' ? undefined : all.find(({ path }) => path === folder)
  if (named !== undefined && (await files.exists(named)))
    throw new HttpError(
      'invalid-path',
      'Search path is not a directory: pass its folder as path, and its name as glob.',
    )
  for (const { name, file } of within(all, folder)) {
    if (!isTextContentType(file.contentType) || glob?.(name) === false) continue
    if (left <= 0 || length > MAX_ANSWER_LENGTH || search.isOver) return { found, isComplete: false }
    const result = await files.use(file, () => search.find(files.storage, file.reference, { limit: left, ...how }))
    if (result === undefined) continue
    isComplete &&= result.isComplete
    if (result.lines.length > 0) found.push({ name, lines: result.lines })
    left -= result.lines.length
    for (const { text } of result.lines) length += text.length
  }
  return { found, isComplete }
}

function within(
  all: readonly FileRecord[],
  folder: string,
): readonly { readonly name: string; readonly file: FileRecord }[] {
  return all.flatMap((file) => {
    const name = pathWithin(file.path, folder)
    return name === undefined ? [] : [{ name, file }]
  })
}

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
