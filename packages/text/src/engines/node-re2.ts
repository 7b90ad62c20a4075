import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import type { WorkerRe2 } from './node-pattern-worker.ts'
import { warn } from '../platform/node-warn.ts'
import type { PatternFlags } from '../platform/platform.ts'

/** Where the module `re2` is, looked for at the first pattern; an empty text where there is none that works. */
let url: string | undefined

/**
 * Say how native RE2 matches a pattern: where the user has installed `re2`, and it finds just what JavaScript would.
 *
 * Decided once per process. The module is loaded by the worker alone.
 */
export async function chooseRe2(pattern: string, flags: PatternFlags): Promise<WorkerRe2 | undefined> {
  url ??= findRe2() ?? ''
  if (url === '') return undefined
  const { writeRe2Expression } = await import('./re2-expression.ts')
  const expression = writeRe2Expression(pattern, flags)
  return expression && { url, expression }
}

/** Do without RE2 from now on, since it does not work here, and tell the developer once. */
export function giveUpRe2(reason: string): void {
  if (url === '') return
  url = ''
  warn('The installed re2 does not work here. Patterns are matched without it; reinstall or remove it.', reason)
}

function findRe2(): string | undefined {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve('re2')).href
  } catch (error) {
    // Not installed; or in a bundle, which does not know where it is.
    const { code } = error as { readonly code?: unknown }
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_INVALID_ARG_VALUE') return undefined
    throw error
  }
}
