import { PatternSearch, type MatchingLine } from '@spillway/core/files'
import { z } from 'zod'
import { HttpError } from '../app/http-error.ts'
import { fileGlob } from '../files/file-glob.ts'
import { joinAsWritten, pathWithin, virtualPath, type FileRecord } from '../files/file-record.ts'
import type { ScopeFiles } from '../files/scope-files.ts'
import { defineRoute, type Route } from '../routes/route.ts'
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
