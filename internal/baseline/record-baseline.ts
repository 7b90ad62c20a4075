import { createHash } from 'node:crypto'
import { ContextOffloader, type ContentBlock, type OffloadEvent, type OffloadedBlock } from '@spillway/core'
import { codePreviewer } from '@spillway/previews/code'
import { imagePreviewer } from '@spillway/previews/image'
import { pdfPreviewer } from '@spillway/previews/pdf'
import { InMemoryStorage } from '@spillway/memory'
import type { Input } from './inputs.ts'
import { callsFor, continuationOf, scopeCalls } from './retrieval-calls.ts'

/** One file of a record. */
export interface RecordedFile {
  /** Path in the record, with slashes. */
  readonly path: string
  readonly text: string
}

/** Folders of a record. Other files next to them, for example notes, are not compared. */
export const RECORDED_FOLDERS: readonly string[] = ['previews', 'answers', 'fields']

/** Start of the clock. It is in the future, so that no answer contains an age. */
const START = Date.UTC(2100, 0)
/** A low limit cuts answers early, so that continuations are recorded, too. */
const MAX_RETRIEVAL_TOKENS = 600
const LONGEST_FIELD = 2_000

/**
 * Record replacements and retrieval answers for these inputs. Equal packages give equal bytes, because each group of
 * inputs has a separate scope and clock.
 *
 * - `previews/<setting>/…`: replacements with previews of 1,000 and 250 tokens, and of 1,000 without previewers that
 *   need a library if that makes a difference. Inputs that are not offloaded have no replacement.
 * - `answers/…`: answers of the retrieval tool to calls that are derived from the content, and their continuations.
 * - `fields/…`: all other data of outcomes, events, and answers, one JSON value per line.
 */
export async function* recordBaseline(inputs: Iterable<Input>): AsyncGenerator<RecordedFile> {
  let group: Group | undefined
  for (const input of inputs) {
    const name = input.path.split('/')[0] ?? ''
    if (group?.name !== name) {
      yield* group?.finish() ?? []
      group = new Group(name)
    }
    yield* group.record(input)
  }
  yield* group?.finish() ?? []
}

/** Records inputs that share a scope. */
class Group {
  readonly name: string
  readonly #offloaders: ReadonlyMap<string, ContextOffloader>
  readonly #events: OffloadEvent[] = []
  readonly #references: string[] = []
  readonly #texts: string[] = []

  constructor(name: string) {
    this.name = name
    let time = START
    const shared = {
      storage: new InMemoryStorage({ evictAfterTurns: null, now: () => time++ }),
      maxRetrievalTokens: MAX_RETRIEVAL_TOKENS,
      // Durations differ between equal runs, so they are set to 0.
      onEvent: (event: OffloadEvent) => this.#events.push('durationMs' in event ? { ...event, durationMs: 0 } : event),
    }
    const previewers = [codePreviewer(), pdfPreviewer(), imagePreviewer()]
    const settings = {
      '1000': { previewers },
      '1000-own': {},
      '250': { previewers, previewTokens: 250, maxResultTokens: 251 },
    }
    this.#offloaders = new Map(
      Object.entries(settings).map(([setting, options]) => [
        setting,
        new ContextOffloader({ ...shared, ...options }).forScope('baseline', name),
      ]),
    )
  }

  async *record({ path, toolName, toolInput, block }: Input): AsyncGenerator<RecordedFile> {
    const fields: unknown[] = []
    const previews = new Map<string, string>()
    let stored: readonly OffloadedBlock[] = []
    for (const [setting, offloader] of this.#offloaders) {
      const call = { toolName, toolCallId: 'call_baseline', input: toolInput, content: [block] }
      const { content, ...outcome } = await offloader.offload(call)
      fields.push({ setting, ...outcome, events: this.#events.splice(0) })
      if (outcome.status === 'inline') continue
      previews.set(setting, textOf(content))
      stored = outcome.stored
    }
    if (previews.get('1000-own') === previews.get('1000')) previews.delete('1000-own')
    for (const [setting, text] of previews) yield { path: `previews/${setting}/${path}`, text }
    const answers: string[] = []
    for (const { reference } of stored) {
      const text = sourceOf(block)
      this.#references.push(reference)
      this.#texts.push(text)
      for (const call of callsFor(reference, text)) {
        const answer = await this.#ask(call, answers, fields)
        const next = continuationOf(answer)
        if (next !== undefined) await this.#ask(next, answers, fields)
      }
    }
    if (stored.length > 0) yield { path: `answers/${path}`, text: answers.join('\n') }
    yield { path: `fields/${path}`, text: lines(fields) }
  }

  /** Record calls about the whole scope. */
  async *finish(): AsyncGenerator<RecordedFile> {
    const answers: string[] = []
    const fields: unknown[] = []
    for (const call of scopeCalls(this.#references, this.#texts)) await this.#ask(call, answers, fields)
    const path = `scopes/${this.name}`
    yield { path: `answers/${path}`, text: answers.join('\n') }
    yield { path: `fields/${path}`, text: lines(fields) }
  }

  async #ask(call: unknown, answers: string[], fields: unknown[]): Promise<string> {
    const tool = [...this.#offloaders.values()].at(-1)?.retrievalTool
    if (tool === undefined) throw new Error('There is no offloader.')
    const { content, ...result } = await tool.execute(call)
    const text = textOf(content)
    answers.push(`##### ${JSON.stringify(call)}\n${text}\n`)
    fields.push({ call, ...result, events: this.#events.splice(0) })
    return text
  }
}

/** Return the text from which calls are derived. */
function sourceOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text
  return block.type === 'json' ? JSON.stringify(block.value, null, 2) : ''
}

const textOf = (content: readonly ContentBlock[]): string =>
  content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block, shorten))).join('\n')

const lines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value, shorten)}\n`).join('')

/** Replace long data by a digest, to keep a record readable. */
function shorten(_: string, value: unknown): unknown {
  const bytes =
    value instanceof Uint8Array ? value : typeof value === 'string' && value.length > LONGEST_FIELD ? value : undefined
  return bytes === undefined ? value : `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}
