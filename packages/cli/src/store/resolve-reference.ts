import { createRetrievalTool, estimateTokens, StorageError, type StoredInfo } from '@spillway/core'
import { CliError, EXIT_CODE, exitCodeOf } from '../cli-error.ts'
import { encodeScope } from '../option-parsers.ts'
import { countOf, formatAge, noteLine } from '../output.ts'
import type { Store } from './with-store.ts'

const LAST = /^last(?:~(\d+))?$/
const MOST_CANDIDATES = 5

/** Return whether a text is `last`, or `last~1` and so on. */
export const isLast = (text: string): boolean => LAST.test(text)

/** Return the reference that a beginning, `last`, or `last~2` selects in this scope. Throws `ambiguous-reference`. */
export async function resolveReference(storage: Store, text: string): Promise<string> {
  const [isNewest, before = '0'] = LAST.exec(text) ?? []
  if (isNewest !== undefined) {
    const entries = await listEntries(storage)
    const entry = entries[Number(before)]
    if (entry !== undefined) return entry.reference
    const message = `There is no ${text}: this scope has ${countOf(entries.length, 'entry', 'entries')}.`
    throw new CliError('not-found', EXIT_CODE.nothing, `${message} ${await hintBelow(storage)}`.trim())
  }
  try {
    await storage.stat(text)
    return text
  } catch (error) {
    if (!StorageError.isInstance(error) || !UNKNOWN.has(error.code) || text === '') throw error
    return await resolvePrefix(storage, text, error)
  }
}

const UNKNOWN: ReadonlySet<string> = new Set(['not-found', 'invalid-reference'])

async function resolvePrefix(storage: Store, text: string, error: StorageError): Promise<string> {
  const entries = await listEntries(storage)
  const candidates = entries.filter(({ reference }) => reference.startsWith(text))
  const [only, ...others] = candidates
  if (only !== undefined && others.length === 0) return only.reference
  if (only !== undefined) {
    const shown = candidates.slice(0, MOST_CANDIDATES).map(describe).join(', ')
    const more = candidates.length > MOST_CANDIDATES ? `, and ${candidates.length - MOST_CANDIDATES} more` : ''
    const message = `${text} matches the start of ${candidates.length} references: ${shown}${more}. Write more characters of the reference that you want.`
    throw new CliError('ambiguous-reference', EXIT_CODE.usage, message)
  }
  const tool = createRetrievalTool({ storage, scoped: true, maxRetrievalTokens: Infinity, countTokens: estimateTokens })
  const { content } = await tool.execute({ reference: text })
  const suggestions = content[0]?.type === 'text' ? /Most similar: .*?\. /.exec(content[0].text) : null
  const more = suggestions?.[0].trim() ?? (await hintBelow(storage))
  throw new CliError(error.code, exitCodeOf(error.code), `${error.message} ${more}`.trim(), { cause: error })
}

/** Name the command that shows entries of other scopes, if all entries are in scopes below. */
export async function hintBelow(storage: Store): Promise<string> {
  if ((await isFilled(storage, false)) || !(await isFilled(storage, true))) return ''
  return 'All entries are in scopes below this one: spillway ls --below shows their --scope.'
}

/** Notes that a named scope has no entries, because the name may be misspelled. */
export async function noteEmptyScope(scope: readonly string[] = []): Promise<void> {
  if (scope.length > 0)
    await noteLine(
      `Nothing is stored in the scope ${encodeScope(scope)} or below it. Check its name: spillway ls --below lists all scopes.`,
    )
}

async function isFilled(storage: Store, below: boolean): Promise<boolean> {
  for await (const _ of storage.list({ below })) return true
  return false
}

const describe = ({ reference, metadata, key, storedAt }: StoredInfo): string =>
  `${reference} (${metadata['tool'] ?? key}, ${formatAge(Date.now() - storedAt)} ago)`

export async function listEntries(storage: Store, below = false): Promise<StoredInfo[]> {
  const entries: StoredInfo[] = []
  for await (const info of storage.list({ below })) entries.push(info)
  return entries.sort((a, b) => b.storedAt - a.storedAt || (a.reference < b.reference ? -1 : 1))
}
