import { checkStorage, copyStorage, type CopyReport, type ManagedStorage } from '@spillway/core'
import type { Invocation } from '../commands/command.ts'
import { EXIT_CODE, nameOptions, usageError } from '../cli-error.ts'
import {
  clearStatus,
  countOf,
  formatBytes,
  formatCount,
  noteLine,
  print,
  printJson,
  printLine,
  showStatus,
} from '../output.ts'
import { noteEmptyScope } from '../store/resolve-reference.ts'
import { isEphemeral, type StoreOptions } from '../store/store-options.ts'
import { isMissingFile, loadPostgres, localPath, missingStore, openStore, withStore } from '../store/with-store.ts'

type CopyOptions = Pick<StoreOptions, 'scope' | 'json'>

export async function copy({ args: [from = '', to = ''], options }: Invocation<CopyOptions>): Promise<number> {
  for (const store of [from, to])
    if (isEphemeral({ store }))
      throw usageError('A store memory: exists only while its command runs. Name another store.')
  const source = await openStore(from)
  if (isMissingFile(localPath(from))) throw missingStore({ store: from }, 'Name another as the first argument.')
  const target = await openStore(to)
  try {
    const { copied, bytes, skipped, failed } = await copyStorage(source, target, {
      scope: options.scope,
      onProgress: (report) => showStatus(sayCopied(report)),
    })
    await clearStatus()
    const failures = failed.map(({ reference, error }) => ({ reference, message: error.message }))
    if (options.json === true) await printJson({ copied, bytes, skipped, failed: failures })
    else {
      for (const { message } of failures) await noteLine(message)
      await printLine(sayCopied({ copied, bytes, skipped, failed }))
      if (copied + skipped + failed.length === 0) await noteEmptyScope(options.scope)
    }
    return failed.length === 0 ? EXIT_CODE.ok : EXIT_CODE.storage
  } finally {
    await clearStatus()
    await Promise.allSettled([source.close(), target.close()])
  }
}

const countEntries = (count: number): string => countOf(count, 'entry', 'entries')

function sayCopied({ copied, bytes, skipped, failed }: CopyReport): string {
  const there = skipped === 0 ? '' : `, ${countEntries(skipped)} there already`
  return `copied ${countEntries(copied)}, ${formatBytes(bytes)}${there}${failed.length === 0 ? '' : `, ${failed.length} failed`}`
}

interface CheckOptions extends StoreOptions {
  readonly repair?: boolean
}

export async function check({ options }: Invocation<CheckOptions>): Promise<number> {
  const { scope, repair = false, ...place } = options
  const report = await withStore(place, (storage) => checkStorage(storage as ManagedStorage, { scope, repair }))
  const { entries, bytes, unproven, problems, leftovers } = report
  const left = problems.filter(({ repaired }) => !repaired).length
  if (options.json === true) await printJson(report)
  else {
    for (const { id, problem, message, repaired } of problems)
      await print(`${id}\t${problem}${repaired ? ', repaired' : ''}\t${message}\n`)
    const found =
      problems.length === 0
        ? 'nothing is wrong'
        : `${countOf(problems.length, 'problem')}${repair ? `, ${formatCount(problems.length - left)} repaired` : ''}`
    const more = [
      ...(unproven === 0 ? [] : [`${countEntries(unproven)} without a digest`]),
      ...(leftovers === 0 ? [] : [`${countOf(leftovers, 'leftover')} removed`]),
    ]
    await printLine([`read ${countEntries(entries)}, ${formatBytes(bytes)}: ${found}`, ...more].join('; '))
    if (entries + problems.length === 0) await noteEmptyScope(scope)
  }
  return left === 0 ? EXIT_CODE.ok : EXIT_CODE.storage
}

interface SchemaOptions {
  readonly schema?: string
  readonly rowLevelSecurity?: boolean
}

export async function printPostgresSchema({ options }: Invocation<SchemaOptions>): Promise<void> {
  const { postgresSchema } = await loadPostgres()
  await print(nameOptions(() => postgresSchema(options)))
}
