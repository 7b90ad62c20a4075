import { PatternSearch } from '@spillway/core/files'
import { z } from 'zod'
import { fileGlob } from '../files/file-glob.ts'
import { defineRoute, type Route } from '../routes/route.ts'

const MAX_MATCHES = 10_000

export const searchRoute: Route = defineRoute({
  method: 'post',
  path: '/v1/search',
  operationId: 'search',
  summary: 'Search the lines of all content of the scope',
  description: 'This endpoint is for programs; for answers to a model, use `/v1/retrieve`. A search has a time limit.',
  tag: 'Results',
  body: z
    .strictObject({
      pattern: z
        .string()
        .min(1)
        .meta({ description: 'A regular expression. An invalid expression is searched as literal text.' }),
      ignoreCase: z.boolean().optional(),
      references: z.array(z.string()).max(1_000).optional().meta({ description: 'Defaults to all entries.' }),
      paths: z.string().optional().meta({ description: 'Only files with matching paths, for example `*.txt`.' }),
      limit: z.int().min(1).max(MAX_MATCHES).optional().meta({ description: 'Limit of lines. Defaults to 100.' }),
    })
    .meta({ id: 'SearchRequest' }),
  responses: {
    200: {
      description: 'The matching lines.',
      schema: z
        .object({
          matches: z.array(z.object({ reference: z.string(), path: z.string(), line: z.number(), text: z.string() })),
          isComplete: z.boolean().meta({ description: 'Whether these are all matches.' }),
          problem: z.string().optional().meta({ description: 'Why the pattern was searched as literal text.' }),
        })
        .meta({ id: 'SearchAnswer' }),
    },
  },
  failureStatuses: { 404: 'One of the references is missing in this scope.', 410: 'One of the entries was evicted.' },
  async handle({ body }, { tenant, signal, pause }) {
    const { pattern, ignoreCase, references, paths, limit = 100 } = body
    const { files } = tenant()
    const glob = paths === undefined ? undefined : fileGlob(paths)
    const only = references && new Set(references)
    const search = new PatternSearch(pattern, { ignoreCase })
    const all = await files.list()
    const listed = new Set(all.map(({ reference }) => reference))
    // For a missing entry, this rejects with the reason, for example that the entry was evicted.
    for (const one of only ?? []) if (!listed.has(one)) await files.storage.stat(one, { signal })
    const chosen = all.filter(({ reference, path }) => only?.has(reference) !== false && glob?.(path) !== false)
    const { found, isComplete } = await files.search(chosen, search, { limit, signal, pause })
    const matches = found.flatMap(({ file: { reference, path }, lines }) =>
      lines.map(({ line, text }) => ({ reference, path, line, text })),
    )
    return { json: { matches, isComplete, ...(search.problem !== undefined && { problem: search.problem }) } }
  },
})
