import type { Command } from 'commander'
import { action, type Invocation } from '../action.ts'
import { requireMethod } from '../entries.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { formatBytes, formatCount } from '../format.ts'
import { parseDuration } from '../option-parsers.ts'
import { printJson, printLine } from '../output.ts'
import { addStoreOptions, withStore, type StoreOptions } from '../store-options.ts'

interface GcOptions extends StoreOptions {
  readonly ttl?: number
}

/** Add `spillway gc`. */
export function addGcCommand(program: Command): void {
  const command = program
    .command('gc')
    .summary('remove what is old or was left behind')
    .description('Remove what killed writers left behind and, with --ttl, entries that were not used for that long.')
    .option('--ttl <time>', 'remove entries unused for this long: 90s, 30m, 12h, 7d, 2w', parseDuration)
  addStoreOptions(command)
  command.addHelpText('after', '\nExample, for a nightly job:\n  $ spillway gc --ttl 7d')
  action(command, gc)
}

async function gc({ options }: Invocation<GcOptions>): Promise<number> {
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
