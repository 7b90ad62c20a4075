import type { Invocation } from '../action.ts'
import { requireMethod } from '../entries.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { formatBytes, formatCount } from '../format.ts'
import { printJson, printLine } from '../output.ts'
import type { StoreOptions } from '../store-options.ts'
import { withStore } from '../with-store.ts'

interface GcOptions extends StoreOptions {
  readonly ttl?: number
}

/** Run `spillway gc`. */
export async function gc({ options }: Invocation<GcOptions>): Promise<number> {
  const report = await withStore(options, (storage) => requireMethod(storage, 'gc')(), { ttlMs: options.ttl })
  if (options.json === true) await printJson(report)
  else {
    const { expired, leftovers, bytes } = report
    const entries = `${formatCount(expired)} expired ${expired === 1 ? 'entry' : 'entries'}`
    const rest = `${formatCount(leftovers)} ${leftovers === 1 ? 'leftover' : 'leftovers'}`
    await printLine(`removed ${entries} and ${rest}, ${formatBytes(bytes)}`)
  }
  return EXIT_CODE.ok
}
