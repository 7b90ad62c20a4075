import assert from 'node:assert/strict'
import { ContextOffloader } from '@spillway/core'
import { InMemoryStorage } from '@spillway/memory'
import type { AdapterCase } from '../adapter-case.ts'

const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line} of the log, all is well`).join('\n')

/** What becomes of results, by their kind and size. */
export const resultCases: readonly AdapterCase[] = [
  {
    id: 'results/large-text',
    title: 'puts a preview and a reference in the place of a large text',
    async run(harness) {
      const offloader = new ContextOffloader({ storage: new InMemoryStorage() })
      const { prompts, text } = await harness.run({
        offloader,
        session: 'session-1',
        tools: [{ name: 'read_log', call: () => ({ type: 'returns', content: [{ type: 'text', text: LOG }] }) }],
        model: (_prompt, call) =>
          call === 0 ? { toolCalls: [{ id: 'call_1', name: 'read_log', input: {} }] } : { text: 'done' },
      })
      assert.equal(text, 'done')
      const [block] = prompts[1]?.results[0]?.content ?? []
      assert.ok(block?.type === 'text' && block.text.startsWith('[Offloaded: 1 block'))
    },
  },
]
