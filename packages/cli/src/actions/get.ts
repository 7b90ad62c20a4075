import { decodeExactly } from '@spillway/core/adapter'
import {
  ContextOffloader,
  createRetrievalTool,
  estimateTokens,
  type RetrievalCall,
  type RetrievalResult,
  type StoredContent,
} from '@spillway/core'
import { setTimeout as wait } from 'node:timers/promises'
import type { CommandResult, Invocation } from '../commands/command.ts'
import type { SearchOptions } from '../commands/options.ts'
import { CliError, EXIT_CODE, exitCodeOf, inOptionNames, usageError } from '../cli-error.ts'
import type { LineSpan } from '../option-parsers.ts'
import { formatBytes, highlight, note, noteLine, print, printJson, printLine, printPaged } from '../output.ts'
import { programName } from '../program-name.ts'
import { commandGuide, formatCommand, formatGrep } from '../retrieval-commands.ts'
import { hintBelow, isLast, resolveReference } from '../store/resolve-reference.ts'
import { storeArguments, type StoreOptions } from '../store/store-options.ts'
import { withStore, type OpenStore, type Store } from '../store/with-store.ts'

/** Size limit of content that is printed as JSON. */
const MAX_JSON_BYTES = 64 * 1024 * 1024

interface GetOptions extends StoreOptions, SearchOptions {
  readonly pattern?: readonly string[]
  readonly lines?: LineSpan
  readonly bytes?: LineSpan
  readonly context?: number
  readonly jsonPath?: string
  readonly sql?: string
  readonly raw?: boolean
  readonly follow?: boolean
  readonly wait?: number
  readonly maxTokens: number
}

export async function get({ args, options, command }: Invocation<GetOptions>): CommandResult {
  const { pattern, lines, bytes, context, raw = false, json = false, follow = false, jsonPath, sql } = options
  const given = args.flat()
  const call: RetrievalCall = {
    pattern: anyOf(pattern),
    line_range: lines,
    byte_range: bytes,
    context_lines: context,
    json_path: jsonPath,
    sql,
    wait_seconds: options.wait === undefined ? undefined : Math.ceil(options.wait / 1_000),
    ...searchParameters(options),
  }
  const { ignore_case: ignoresCase, ...filters } = call
  const filtered = Object.values(filters).some((value) => value !== undefined)
  if (raw && (filtered || json)) {
    throw usageError('--raw prints the whole content: remove --json and all options that select a part.')
  }
  if (given.length > 1 && sql === undefined) throw usageError('Several references are for --sql.')
  if (ignoresCase === true && pattern === undefined) throw usageError('--ignore-case needs --pattern.')
  if (context !== undefined && lines !== undefined && pattern === undefined) {
    throw usageError(
      '--context sets the number of lines around matches, or of first lines. Leave --context out with --lines.',
    )
  }
  if (follow && (filtered || raw || json))
    throw usageError('--follow prints everything: leave out options that select a part.')
  const limited = filtered || command.getOptionValueSource('maxTokens') === 'cli'
  return withStore(options, async (storage, journal) => {
    const references = await Promise.all(given.map((each) => resolveReference(storage, each)))
    const [reference = ''] = references
    if (follow) return await printGrowing(storage, reference)
    const isWhole = !limited && !json && !raw
    if (isWhole && isLast(given[0] ?? '')) return await printPreview(storage, reference, storeArguments(command))
    if (raw || (isWhole && !process.stdout.isTTY)) return printAll(storage, reference)
    if (json && !limited) return printWholeJson(storage, reference)
    const of = references.length > 1 ? { references } : { reference }
    const answer = await retrieve({ ...of, ...call }, { storage, journal }, options, storeArguments(command))
    // Unfiltered content that fits is printed as it is stored.
    if (!filtered && answer.isComplete)
      return json ? printWholeJson(storage, reference) : printNative(storage, reference, answer)
    return printAnswer(call, answer, options, reference)
  })
}

/** Combine patterns into one pattern that matches if any of them does. */
function anyOf(patterns: readonly string[] = []): string | undefined {
  return patterns.length > 1 ? patterns.map((pattern) => `(?:${pattern})`).join('|') : patterns[0]
}

function searchParameters(options: SearchOptions): RetrievalCall {
  return {
    query: options.query,
    ignore_case: options.ignoreCase,
    count_only: options.count,
    from_end: options.fromEnd,
    after: options.after,
  }
}

async function printAll(storage: Store, reference: string): Promise<void> {
  for await (const chunk of readContent(storage, reference)) await print(chunk)
}

const FOLLOW_MS = 250

/** Print content while it is being written, until its writer ends it. */
async function printGrowing(storage: Store, reference: string): Promise<void> {
  const decoder = new TextDecoder()
  let printed = 0
  for (;;) {
    const { state, omitted } = await storage.stat(reference)
    // The middle of output over the limit is removed while it grows.
    const offset = omitted === undefined ? printed : Math.max(omitted.offset, printed - omitted.bytes)
    for await (const chunk of readContent(storage, reference, offset)) {
      printed += chunk.byteLength
      await print(process.stdout.isTTY ? decoder.decode(chunk, { stream: true }) : chunk)
    }
    if (state !== 'open') return
    await wait(FOLLOW_MS)
  }
}

/** Print the preview that `run` printed, or would print. */
async function printPreview(storage: Store, reference: string, storeArguments: string): Promise<void> {
  const { key, contentType, metadata } = await storage.stat(reference)
  const offloader = new ContextOffloader({
    storage,
    includeRetrievalTool: false,
    showLocation: false,
    guide: commandGuide(storeArguments),
  })
  const { status, content } = await offloader.offloadStream({
    toolName: metadata['tool'] ?? key,
    toolCallId: key,
    chunks: readContent(storage, reference),
    contentType,
    store: async (chunks) => {
      for await (const _ of chunks);
      return reference
    },
    isError: () => (metadata['exitCode'] ?? '0') !== '0',
  })
  const [block] = content
  if (block?.type === 'text') await (status === 'offloaded' ? printLine : print)(block.text)
  else await printNative(storage, reference, { content })
}

async function printNative(storage: Store, reference: string, answer: Pick<RetrievalResult, 'content'>): Promise<void> {
  const isText = answer.content.some(({ type }) => type === 'text')
  if (!isText && !process.stdout.isTTY) return printAll(storage, reference)
  const { content, contentType } = await storage.retrieve(reference)
  if (isText) return await print(new TextDecoder().decode(content))
  const size = formatBytes(content.byteLength)
  const command = `${programName()} get ${reference} > file`
  await note(`[${contentType}, ${size}: not shown on a terminal. Write it to a file: ${command}]\n`)
}

async function printWholeJson(storage: Store, reference: string): Promise<void> {
  await printJson({ reference, ...describeContent(await retrieveSmall(storage, reference)) })
}

async function retrieveSmall(storage: Store, reference: string): Promise<StoredContent> {
  const { size } = await storage.stat(reference)
  if (size > MAX_JSON_BYTES)
    throw usageError(`${reference} has ${formatBytes(size)}, too much for JSON. Use --raw into a file, or a filter.`)
  return storage.retrieve(reference)
}

function describeContent({ content, contentType }: StoredContent): Record<string, unknown> {
  const common = { contentType, size: content.byteLength }
  const text = decodeExactly(content)
  return text === undefined
    ? { ...common, contentBase64: Buffer.from(content).toString('base64') }
    : { ...common, content: text }
}

interface GrepOptions extends StoreOptions, SearchOptions {
  readonly regexp?: readonly string[]
  readonly context: number
  readonly maxTokens: number
}

export async function grep({ args: [pattern], options, command }: Invocation<GrepOptions>): Promise<number> {
  const { regexp = [], query } = options
  const patterns = [...(pattern === undefined ? [] : [pattern]), ...regexp]
  if (patterns.length === 0 && query === undefined) throw usageError('Give a pattern, or --query with words.')
  return withStore(options, async (storage, journal) => {
    const call = {
      ...(patterns.length === 0 ? {} : { pattern: anyOf(patterns), context_lines: options.context }),
      ...searchParameters(options),
    }
    const answer = await retrieve(call, { storage, journal }, options, storeArguments(command))
    const hint = answer.matches === 0 ? await hintBelow(storage) : ''
    if (hint !== '') await noteLine(hint)
    return printAnswer(call, answer, options)
  })
}

type Answer = Extract<RetrievalResult, { isError: false }>

async function printAnswer(
  call: RetrievalCall,
  { content, matches: total, matchingLines: matches, table, isComplete, continuation }: Answer,
  { json = false, after = 0 }: Pick<GetOptions, 'json' | 'after'>,
  reference?: string,
): Promise<number> {
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  if (json) {
    const of = {
      ...(reference !== undefined && { reference }),
      ...(call.pattern !== undefined && { pattern: call.pattern }),
    }
    await printJson({ ...of, matches, ...table, total, isComplete, continuation, text, tokens: estimateTokens(text) })
  } else await printPaged(`${highlight(text)}\n`)
  return total !== undefined && total <= after ? EXIT_CODE.nothing : EXIT_CODE.ok
}

async function retrieve(
  call: RetrievalCall,
  store: OpenStore,
  { maxTokens }: Pick<GetOptions, 'maxTokens'>,
  storeArguments: string,
): Promise<Answer> {
  const tool = createRetrievalTool({
    ...store,
    // Servers need a scope to enumerate entries, because it separates callers. Here the caller has direct access to the
    // store, as `spillway ls` shows.
    scoped: true,
    maxRetrievalTokens: maxTokens,
    countTokens: estimateTokens,
    formatCall: (suggested) =>
      suggested.reference === undefined
        ? formatGrep(suggested, storeArguments)
        : formatCommand(suggested, storeArguments),
  })
  const result = await tool.execute(call)
  if (!result.isError) return result
  throw new CliError(result.code, exitCodeOf(result.code), inOptionNames(result.message))
}

const RANGE_BYTES = 4 * 1024 * 1024

async function* readContent(storage: Store, reference: string, from = 0): AsyncGenerator<Uint8Array> {
  for (let offset = from; ;) {
    const { content, size } = await storage.retrieveRange(reference, { offset, length: RANGE_BYTES })
    if (content.byteLength > 0) yield content
    offset += content.byteLength
    if (offset >= size || content.byteLength === 0) return
  }
}
