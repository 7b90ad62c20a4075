import type { ContentBlock } from '@spillway/text/internal'
import { countSlowTurns } from '@spillway-internal/test-inputs'
import { describe, expect, it } from 'vitest'
import { createStorage } from '../storage/managed-storage.ts'
import type { ContextOffloaderOptions } from './context-offloader-options.ts'
import { ContextOffloader } from './context-offloader.ts'

const PIECE = 65_536
const PIECES = 6

function offloader(options: Pick<ContextOffloaderOptions, 'redact'> = {}): ContextOffloader {
  const storage = createStorage({
    ephemeral: true,
    async write(_id, chunks) {
      for await (const _ of chunks);
      return true
    },
    read: async () => undefined,
    remove: async () => false,
    async *list() {},
  })
  return new ContextOffloader({ storage, ...options })
}

const filled = (line: string): string =>
  `${line}\n`.repeat(Math.ceil((PIECE * PIECES) / (line.length + 1))).slice(0, PIECE * PIECES)
const record = { id: 7, name: 'a name', tags: ['a', 'b'] }

const contents: [name: string, ...content: ContentBlock[]][] = [
  ['a log', { type: 'text', text: filled('2026-03-11T12:00:00Z INFO worker 12 did 84 ok') }],
  ['one line', { type: 'text', text: filled('x'.repeat(PIECE * PIECES)) }],
  ['blank lines', { type: 'text', text: filled('') }],
  ['NULs', { type: 'text', text: filled('a\0b') }],
  ['JSON on one line', { type: 'text', text: JSON.stringify(Array.from({ length: 10_000 }, () => record)) }],
  ['JSON lines', { type: 'text', text: filled(JSON.stringify(record)) }],
  ['a JSON value', { type: 'json', value: Array.from({ length: 10_000 }, () => record) }],
  ['a table', { type: 'text', text: filled('1,name,"Rome, Italy",3.50') }],
  ['a page', { type: 'text', text: `<!doctype html><body>${filled('<p>Some words.</p>')}` }],
  ['XML', { type: 'text', text: `<?xml version="1.0"?><all>${filled('<item id="1">x</item>')}` }],
  ['Markdown', { type: 'text', text: filled('## Part\n\nSome [words](x).\n'), mediaType: 'text/markdown' }],
  ['a listing', { type: 'text', text: filled('./src/folder/file.ts') }],
  ['a configuration', { type: 'text', text: filled('[part]\nname = "n"\n') }],
  ['code', { type: 'text', text: filled('def f(a):\n    return a\n'), mediaType: 'text/x-python' }],
  ['YAML', { type: 'text', text: filled('- name: n\n  value: 1\n'), mediaType: 'application/yaml' }],
  ['a diff', { type: 'text', text: filled('--- a/f.ts\n+++ b/f.ts\n@@ -1,3 +1,3 @@\n context\n-old\n+new') }],
  ['a text document', { type: 'document', mediaType: 'text/plain', data: Buffer.from(filled('a line')) }],
  [
    'many blocks',
    ...Array.from({ length: 2 * PIECES }, (): ContentBlock => ({ type: 'text', text: 'a line\n'.repeat(999) })),
  ],
]

/** Start two offloads of one scope, then one of another. Check that other work runs, and that scopes take turns. */
async function expectTurns(
  offload: (session: ContextOffloader) => Promise<{ readonly status: string }>,
): Promise<void> {
  const root = offloader()
  let order = ''
  const work = async (scope: string): Promise<void> => {
    expect((await offload(root.forScope(scope))).status).toBe('offloaded')
    order += scope
  }
  const turns = await countSlowTurns(() => Promise.all(['a', 'a', 'b'].map(work)))
  expect(turns).toBeGreaterThan(3 * PIECES)
  expect(order).toBe('baa')
}

const TURNS = 'lets other work run after each chunk, and ends before two earlier ones of another scope'

describe('an offload', () => {
  it.each(contents)(`of %s ${TURNS}`, async (_name, ...content) => {
    await expectTurns((session) => session.offload({ toolName: 'tool', toolCallId: 'call_1', content }))
  })

  it(`of a stream with a large chunk ${TURNS}`, async () => {
    const chunks = [Buffer.from(filled('a line'))]
    await expectTurns((session) =>
      session.offloadStream({ toolName: 'tool', toolCallId: 'call_1', chunks: toAsync(chunks) }),
    )
  })

  it('of a JSON value lets other work run while its strings are redacted', async () => {
    const value = Array.from({ length: PIECES * 100 }, () => record)
    const turnsWith = (options: Pick<ContextOffloaderOptions, 'redact'>): Promise<number> =>
      countSlowTurns(() =>
        offloader(options).offload({ toolName: 'tool', toolCallId: 'call_1', content: [{ type: 'json', value }] }),
      )
    const strings = 3 * value.length
    expect(await turnsWith({ redact: {} })).toBeGreaterThan((await turnsWith({})) + strings / 2)
  })
})

async function* toAsync(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
}
