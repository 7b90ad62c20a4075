/**
 * Load the modules that an offloader otherwise loads on demand: previews with the first large result, search with the
 * first retrieval.
 *
 * Call it at the start if the first result must not wait for some tens of milliseconds. Another call does nothing.
 *
 * @example
 * ```ts
 * import { preload } from '@spillway/core'
 *
 * await preload()
 * ```
 */
export async function preload(): Promise<void> {
  await Promise.all([
    import('./offload/read-back.ts'),
    import('./offload/replace-result.ts'),
    import('./retrieval/retrieve.ts'),
    import('./retrieval/json-path/answer-json-path.ts'),
    import('./retrieval/query/answer-query.ts'),
    import('./retrieval/sql/answer-sql.ts'),
    import('./content/stored-content.ts'),
    import('./storage/entry-writer.ts'),
    import('./storage/opened-content.ts'),
  ])
}
