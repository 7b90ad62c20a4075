/**
 * Load the modules that an offloader otherwise loads on demand: previews with the first large result, search with the
 * first retrieval. Then preview a short log, because code is compiled when it first runs.
 *
 * Call this function once at the start if the first result must not wait for some tens of milliseconds.
 *
 * @example
 * ```ts
 * import { preload } from '@spillway/core'
 *
 * await preload()
 * ```
 */
export async function preload(): Promise<void> {
  const [{ previewText }] = await Promise.all([
    import('@spillway/previews'),
    import('./offload/read-back.ts'),
    import('./offload/replace-result.ts'),
    import('./retrieval/retrieve.ts'),
    import('./retrieval/answer-scope.ts'),
    import('./retrieval/json-path/answer-json-path.ts'),
    import('./retrieval/query/answer-query.ts'),
    import('./retrieval/sql/answer-sql.ts'),
    import('./content/stored-content.ts'),
    import('./storage/entry-writer.ts'),
    import('./storage/opened-content.ts'),
  ])
  const lines = Array.from({ length: 40 }, (_, at) => `2026-01-01T00:00:00Z INFO step ${at} of src/a.ts:${at} failed`)
  await previewText(lines.join('\n'), { budgetTokens: 300 })
}
