import { isTextContentType } from '@spillway/text/internal'
import {
  retrievalToolNameOf,
  formatReplacement,
  locationOf,
  type ReplacedBlock,
  toolMetadata,
  orAborted,
} from '@spillway/core/internal'
import type { ContextOffloader, StoreReceipt } from '@spillway/core'
import { orMiss } from '@spillway/core/adapter'
import {
  unlessMissing,
  type ArchivedItem,
  type HistoryArchive,
  type ParsedReplacement,
  type ReplacedContent,
} from './history-archive.ts'
import { findSnapshot, formatSnapshot, readTemplate } from './read-template.ts'

const SUBJECTS = { result: 'The tool result', argument: 'This argument', message: 'This message' } as const
const BRIEF = / was moved to storage to shorten the history[.:]/

/**
 * Create the archive of an offloader. It stores items in the offloader's storage and uses references as their names.
 *
 * Replacements have the same form as the offloader's, with fewer words.
 *
 * @example
 * ```ts
 * import { ContextOffloader } from '@spillway/core'
 * import { offloaderArchive } from '@spillway/history'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const archive = offloaderArchive(new ContextOffloader({ storage: new InMemoryStorage({ evictAfterTurns: null }) }))
 * const content = new TextEncoder().encode('all of the log')
 * const item = { kind: 'text', callId: 'call_1', part: '0', toolName: 'read_log', content, contentType: 'text/plain' } as const
 * const { name } = await archive.store(item)
 * console.assert(new TextDecoder().decode((await archive.retrieve(name)).content) === 'all of the log')
 * ```
 */
export function offloaderArchive(offloader: ContextOffloader): HistoryArchive {
  const { storage } = offloader.options
  return {
    async store({ callId, part, toolName, content, contentType }, { signal } = {}) {
      let receipt: StoreReceipt | undefined
      const name = await storage.store(`${callId}_${part}`, content, contentType, {
        metadata: toolName === '' ? {} : toolMetadata(toolName),
        signal,
        transfer: true,
        onStored: (given) => void (receipt = given),
      })
      return {
        name,
        async rollback() {
          if (receipt?.created === true) await storage.delete?.(name, { unusedSince: receipt.usedAt })
        },
      }
    },
    retrieve: (name, options) =>
      orAborted(
        orMiss(name, () => storage.retrieve(name, options)),
        options?.signal,
      ),
    ...(storage.stat !== undefined && {
      has: async (name, options) =>
        (await unlessMissing(
          orAborted(
            orMiss(name, () => storage.stat!(name, options)),
            options?.signal,
          ),
        )) !== undefined,
    }),
    async use(name, options) {
      await storage.retrieveRange?.(name, { offset: 0, length: 1 }, options)
    },
    writeReplacement: (replaced) => writeReplacement(offloader, replaced),
    readReplacement,
    writeSnapshot: (snapshot) =>
      formatSnapshot(snapshot, {
        howToRead: howToRead(offloader, snapshot.groups, 'them').map((line) => `The messages are stored: ${line}`),
        commandOf: (name) => locationOf(offloader.options, name)?.command,
      }),
    readSnapshot: findSnapshot,
  }
}

function writeReplacement(offloader: ContextOffloader, replaced: ReplacedContent): string {
  const blocks: ReplacedBlock[] = []
  for (const { name, kind, contentType, size, label, lines, preview } of replaced.items) {
    const type = kind === 'argument' || kind === 'message' || kind === 'original' || kind === 'messages' ? 'text' : kind
    blocks.push({
      reference: name,
      type,
      kind: type === kind ? undefined : kind,
      contentType,
      size,
      name: label,
      lines,
      preview: preview === '' ? undefined : preview,
      location: locationOf(offloader.options, name),
    })
  }
  const { subject, isError, items } = replaced
  const what = `${isError ? 'The tool failed; its output' : SUBJECTS[subject]} was moved to storage to shorten the history`
  const [how, ...more] = howToRead(offloader, items, 'it')
  const brief = [how === undefined ? `${what}.` : `${what}: ${how}`, ...more]
  return formatReplacement({ blocks, original: replaced, isError, retrievalTool: undefined, brief })
}

function howToRead(
  offloader: ContextOffloader,
  items: readonly ArchivedItem[],
  what: 'it' | 'them',
): readonly string[] {
  const { includeRetrievalTool, guide, showLocation } = offloader.options
  const lines: string[] = []
  if (includeRetrievalTool) lines.push(`${retrievalToolNameOf(offloader)} reads ${what}.`)
  if (guide !== undefined) {
    const texts = items.filter(({ contentType }) => isTextContentType(contentType))
    const named = texts.length > 0 ? texts : items
    lines.push(
      ...guide.instructions(
        named.map(({ name }) => name),
        named === texts,
      ),
    )
  }
  if (showLocation !== false) lines.push(`the command after a reference prints ${what}.`)
  return lines
}

function readReplacement(text: string): ParsedReplacement | undefined {
  const template = readTemplate(text)
  if (template === undefined) return undefined
  const { opening, ...parsed } = template
  const subject = opening.startsWith(SUBJECTS.argument)
    ? 'argument'
    : opening.startsWith(SUBJECTS.message)
      ? 'message'
      : 'result'
  return { ...parsed, subject, isBrief: BRIEF.test(opening) }
}
