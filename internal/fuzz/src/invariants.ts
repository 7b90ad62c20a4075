/** Checks for every input: no crash, no leak, no stall, no exceeded budget, and no loss. */
import assert from 'node:assert/strict'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { estimateTokens, type ContentBlock, type ContextOffloader, type Outcome, type Storage } from '@spillway/core'

export const LIMITS = { maxResultTokens: 600, previewTokens: 300, maxRetrievalTokens: 500 } as const
/** Text of another tenant, which no answer may show. */
export const SECRET = 'canary-9f2c1e7d'
/** CPU time limit of one turn of the event loop, including garbage collection and loading. A turn blocks other work. */
const MAX_TURN_MS = 1_500
/** CPU time limit of one call, including all workers. */
const MAX_CALL_MS = 20_000
/** Tokens around previews, and for each reference and its names. */
const FRAME_TOKENS = 250
const REFERENCE_TOKENS = 200
const NO_SPECIAL_TOKENS = { disallowedSpecial: new Set<string>() }
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/

/** Run a call, and check the CPU time of the call and of its longest turn of the event loop. */
export async function measured<Result>(call: () => Promise<Result>): Promise<Result> {
  let longest = 0
  let ended = false
  let last = threadCpu()
  const turn = (): void => {
    const now = threadCpu()
    longest = Math.max(longest, now - last)
    last = now
    if (!ended) setImmediate(turn)
  }
  setImmediate(turn)
  const before = process.cpuUsage()
  try {
    return await call()
  } finally {
    ended = true
    turn()
    const { user, system } = process.cpuUsage(before)
    assert.ok(longest <= MAX_TURN_MS, `A turn of the event loop took ${Math.round(longest)} ms of CPU.`)
    assert.ok(user + system <= MAX_CALL_MS * 1_000, `A call took ${Math.round((user + system) / 1_000)} ms of CPU.`)
  }
}

function threadCpu(): number {
  const { user, system } = process.threadCpuUsage?.() ?? { user: 0, system: 0 }
  return (user + system) / 1_000
}

/** Fails if a text for one caller contains a secret of another caller. */
export function assertNoSecret(told: unknown): void {
  const text = typeof told === 'string' ? told : JSON.stringify(told)
  assert.ok(!text?.includes(SECRET), 'The answer has text of another scope.')
}

/** Offload a result, check the outcome, and return the references. */
export async function offloadChecked(
  offloader: ContextOffloader,
  toolCallId: string,
  content: readonly ContentBlock[],
): Promise<readonly string[]> {
  const outcome: Outcome = await measured(() => offloader.offload({ toolName: 'fuzz', toolCallId, content }))
  if (outcome.status === 'inline') {
    assert.equal(outcome.content, content)
    if (outcome.reason === 'failed') throw outcome.error
    return []
  }
  const [first] = outcome.content
  assert.equal(first?.type, 'text')
  const text = first?.type === 'text' ? first.text : ''
  const most = LIMITS.previewTokens + FRAME_TOKENS + REFERENCE_TOKENS * outcome.stored.length
  assert.ok(estimateTokens(text) <= most, `The replacement has ${estimateTokens(text)} of ${most} tokens.`)
  assert.ok(outcome.tokens.replacement < outcome.tokens.original)
  assertShown(text)
  return outcome.stored.map(({ reference }) => reference)
}

/** Call the retrieval tool, and check its answer. */
export async function retrieveChecked({ retrievalTool }: ContextOffloader, input: unknown): Promise<void> {
  const result = await measured(() => retrievalTool.execute(input))
  assertNoSecret(result)
  assert.equal(result.content.length, 1)
  const [block] = result.content
  if (result.isError) {
    assert.match(result.code, /^[a-z]+(?:-[a-z]+)*$/)
    assert.equal(block?.type, 'text')
  }
  if (block?.type === 'text') {
    assert.ok(estimateTokens(block.text) <= LIMITS.maxRetrievalTokens, `${estimateTokens(block.text)} tokens.`)
    assertShown(block.text)
  }
}

function assertShown(text: string): void {
  assert.ok(text.isWellFormed(), 'The text has half a character.')
  const control = CONTROLS.exec(text)
  assert.equal(control, null, `The text has a control character: ${JSON.stringify(control?.[0])}`)
  const tokens = countTokens(text, NO_SPECIAL_TOKENS)
  assert.ok(tokens <= estimateTokens(text) * 1.25, `The text has ${tokens} tokens, ${estimateTokens(text)} estimated.`)
}

/** All stored content by reference. */
export class StoredBytes {
  readonly #storage: Storage
  readonly #bytes = new Map<string, Uint8Array>()

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** Record stored content. If a result has one text, its bytes are recorded. */
  async add(references: readonly string[], content: readonly ContentBlock[]): Promise<void> {
    for (const reference of references) this.#bytes.set(reference, (await this.#storage.retrieve(reference)).content)
    const [block] = content
    if (content.length !== 1 || block?.type !== 'text' || references.length !== 1) return
    assert.deepEqual(Buffer.from(this.#bytes.get(references[0]!)!), Buffer.from(block.text))
  }

  async assertKept(): Promise<void> {
    for (const [reference, bytes] of this.#bytes)
      assert.deepEqual((await this.#storage.retrieve(reference)).content, bytes, `${reference} has other bytes.`)
  }
}
