import { StorageError } from '@spillway/core'
import type { Invocation } from '../action.ts'
import { requireMethod } from '../entries.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { noteLine, printJson } from '../output.ts'
import type { StoreOptions } from '../store-options.ts'
import { withStore } from '../with-store.ts'

/** Run `spillway rm`. */
export async function rm({ args: references, options }: Invocation<StoreOptions>): Promise<number> {
  return withStore(options, async (storage) => {
    const remove = requireMethod(storage, 'delete')
    const removed: string[] = []
    const missing: string[] = []
    for (const reference of references) {
      try {
        await storage.stat?.(reference)
        await remove(reference)
        removed.push(reference)
      } catch (error) {
        if (!StorageError.isInstance(error) || !NOT_THERE.has(error.code)) throw error
        missing.push(reference)
        if (options.json !== true) await noteLine(error.message)
      }
    }
    if (options.json === true) await printJson({ removed, missing })
    return missing.length === 0 ? EXIT_CODE.ok : EXIT_CODE.nothing
  })
}

const NOT_THERE: ReadonlySet<string> = new Set(['not-found', 'evicted', 'invalid-reference'])
