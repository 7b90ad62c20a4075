import assert from 'node:assert/strict'
import type { AdapterCase } from '../adapter-case.ts'
import type { CaseTool, ConversationResult } from '../harness.ts'
import { createBench, SESSION } from '../support/bench.ts'
import { calling, returning } from '../support/case-tools.ts'
import { retrieving } from '../support/retrieval-answers.ts'
import { assertDone } from '../support/run-pair.ts'
import { log, LOG, text } from '../support/sample-content.ts'
import { scripted } from '../support/scripted-model.ts'
import { lastPrompt, lastResult, referenceIn, textOf } from '../support/seen-results.ts'

/** Agents that run as a tool of another agent. */
export const subAgentCases: readonly AdapterCase[] = [
  {
    id: 'sub-agents/lent-and-given-back',
    title: 'lets a sub-agent read references in its task, and lets the parent agent read references in the answer',
    async run(harness) {
      const bench = createBench()
      let inner: ConversationResult | undefined
      const delegate: CaseTool = {
        name: 'delegate',
        inputSchema: { type: 'object', properties: { task: { type: 'string' } } },
        async call(input) {
          const { task } = input as { readonly task: string }
          const child = bench.offloader.forScope(SESSION).child('delegate_1', { task })
          inner = await harness.run({
            offloader: child,
            session: 'sub-agent',
            tools: [returning('read_other', text(log('other')))],
            model: scripted(
              retrieving({ reference: wordIn(task), pattern: 'FAILED' }),
              calling('read_other', {}, 'other_1'),
            ),
          })
          assertDone(inner, 'The sub-agent does not reach the end')
          const found = referenceIn(lastResult(lastPrompt(inner), 'other_1'))
          return { type: 'returns', content: [text(child.giveBack(`See ${found} for more.`))] }
        },
      }
      const result = await harness.run({
        offloader: bench.offloader,
        session: SESSION,
        tools: [returning('read_log', text(LOG)), delegate],
        model: scripted(
          calling('read_log'),
          (prompt) => calling('delegate', { task: `Look into ${referenceIn(lastResult(prompt))} .` }, 'delegate_1'),
          (prompt) =>
            retrieving({ reference: wordIn(textOf(lastResult(prompt, 'delegate_1'))), pattern: 'status=FAILED' }),
        ),
      })
      assertDone(result, 'The run does not reach the end')
      assert.ok(inner !== undefined, 'The sub-agent did not run')
      assert.match(textOf(lastResult(lastPrompt(inner), 'retrieval_1')), /of main: status=FAILED/)
      assert.match(textOf(lastResult(lastPrompt(result), 'retrieval_1')), /of other: status=FAILED/)
    },
  },
]

const wordIn = (sentence: string): string => /[a-z0-9_]{22,64}/.exec(sentence)?.[0] ?? ''
